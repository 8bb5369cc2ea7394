/**
 * The small files of a node for the test of flipped bits: the keys by which others know it, and the peers that it knows.
 */
import { join } from 'node:path';
import { type Log, SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import { openPeerKey } from '../../../network/src/host/peer-key.ts';
import { openOverlayKey } from '../../../network/src/overlay/overlay-key.ts';
import { Bans } from '../../../network/src/peers/bans.ts';
import { PEER_BOOK_OPTIONS, PeerBook } from '../../../network/src/peers/peer-book.ts';
import { PeerBookFile } from '../../../network/src/peers/peer-book-file.ts';
import { openIdentity } from '../../src/identity/identity-file.ts';
import type { Add, Tell } from './reading.ts';

const PEERS = 6;
const NOW = 1_700_000_000_000;
const PEER_IDS = [
  '12D3KooWGC6TvWhfapngX6wvJHMYvKpDMXPb3ZnCZ6dMoaMtimQ5',
  '12D3KooWJvyP3VJYymTqG7eH4PM5rN4T2agk5cdNCfNymAqwqcvZ',
];

function overlayOf(directory: string): string {
  return join(directory, 'network', 'validator-overlay');
}

function bookOf(): { readonly book: PeerBook; readonly bans: Bans } {
  const clock = new ManualClock(NOW);
  const options = { ...PEER_BOOK_OPTIONS, allowPrivateAddresses: true };
  return { book: new PeerBook(options, () => NOW), bans: new Bans(clock) };
}

export async function makeKeys(directory: string): Promise<void> {
  openIdentity(join(directory, 'identity.key'));
}

export async function readKeys(directory: string, add: Add): Promise<void> {
  add(openIdentity(join(directory, 'identity.key')).publicKey);
}

export async function makePeers(directory: string): Promise<void> {
  const network = join(directory, 'network');
  await openPeerKey(network);
  await openOverlayKey(overlayOf(directory));
  const { book, bans } = bookOf();
  PEER_IDS.forEach((id, at) => {
    book.seen(id, { host: `93.184.${at}.34`, port: 4_321 }, at === 0);
  });
  for (let at = 0; at < PEERS; at++)
    bans.add({
      subject: `93.184.216.${at}`,
      reason: 'a forged block',
      untilMillis: NOW + 1_000_000,
    });
  await new PeerBookFile(network, SILENT_LOG).save(book, bans);
}

/** Each file by itself, as one that is refused must not hide the others. */
export async function readPeers(directory: string, add: Add, tell: Tell): Promise<void> {
  const network = join(directory, 'network');
  const tellWhy = (error: Error) => tell(error.message);
  await openPeerKey(network).then((key) => add(key.publicKey.raw), tellWhy);
  await openOverlayKey(overlayOf(directory)).then(({ publicKey }) => add(publicKey), tellWhy);
  const log: Log = { ...SILENT_LOG, warn: (facts) => tell(JSON.stringify(facts)) };
  const { book, bans } = bookOf();
  await new PeerBookFile(network, log).load(book, bans);
  for (const peer of book.list()) add(JSON.stringify(peer));
  for (const ban of bans.list()) add(JSON.stringify(ban));
}
