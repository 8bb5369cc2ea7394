/**
 * Peers that report peers which never existed: some politely, a list whenever they are asked, and one with forty lists at
 * once. The node has eight peers that it reached and eight that an honest one reported, and is restarted in the end.
 */
import { type TestEnd, temporaryDirectory, until } from 'svc-base/testing';
import type { Network } from '../../src/network.ts';
import { PEER_BOOK_OPTIONS } from '../../src/peers/peer-book.ts';
import { LOOPBACK, startNetwork } from '../testing/kit.ts';
import { MemoryApplication } from '../testing/memory-application.ts';
import { createPoisoner, deadAddress, inventedId } from '../testing/poisoning.ts';
import { ChainScript } from '../testing/script.ts';
import { type Adversary, closing, secondsUntil, took } from './finding.ts';

const POLITE = 20;
const ASKED = 10;
const RUDE_LISTS = 40;
const HONEST = 8;
const SECONDS_MAX = 60;

interface Book {
  readonly told: number;
  readonly kept: number;
  readonly reached: number;
  readonly heard: number;
  /** Seconds until a restarted node has all peers that it reached before. */
  readonly seconds: number | undefined;
}

export const poisonedBook: Adversary = async (size) => {
  const alone = await closing((t) => book(t, 0));
  const beside = await closing((t) => book(t, size));
  const { told, kept } = beside;
  return {
    alone: text(alone),
    beside: text(beside),
    attacker: `${kept} of ${told} entries kept, in a book of ${PEER_BOOK_OPTIONS.sizeMax}`,
    demand: `no honest entry is lost, and all peers are back within ${SECONDS_MAX} s of a restart`,
    holds: beside.reached === HONEST && beside.heard === HONEST && beside.seconds !== undefined,
  };
};

async function book(t: TestEnd, size: number): Promise<Book> {
  const script = new ChainScript({ seed: 'poison' });
  const directory = temporaryDirectory();
  const application = new MemoryApplication(script);
  const honest: Network[] = [];
  while (honest.length < HONEST)
    honest.push(await startNetwork(t, new MemoryApplication(script), withoutDialling()));
  const bootstrap = honest.map(({ addresses }) => addresses[0] as string);
  const first = await startNetwork(t, application, { directory, bootstrap });
  await until(() => first.peers.count('outbound') === HONEST, 'the honest peers');
  const heard = Array.from({ length: HONEST }, inventedId);
  for (const id of heard) first.book.hear(id, deadAddress(), 'honest');
  const told = size === 0 ? new Set<string>() : await poison(t, first, application, size);
  const isKept = (id: string): boolean => first.book.get(id) !== undefined;
  const seen = {
    told: told.size,
    kept: [...told].filter(isKept).length,
    reached: honest.filter(({ peerId }) => first.book.get(peerId)?.isProven === true).length,
    heard: heard.filter(isKept).length,
  };
  await first.close();
  const again = await startNetwork(t, application, { directory });
  const seconds = await secondsUntil(
    () => honest.every(({ peerId }) => again.peers.get(peerId) !== undefined),
    SECONDS_MAX,
  );
  return { ...seen, seconds };
}

/** All that was reported. */
async function poison(
  t: TestEnd,
  network: Network,
  application: MemoryApplication,
  size: number,
): Promise<Set<string>> {
  const told = new Set<string>();
  for (let at = 0; at < size * POLITE; at++) {
    const isRude = at % POLITE === 0;
    const poisoner = await createPoisoner(t, isRude ? RUDE_LISTS : 1);
    await poisoner.peer.join(network, application);
    for (let asked = 0; asked < ASKED; asked++) await network.askForPeers(poisoner.peer.id);
    for (const id of poisoner.told) told.add(id);
  }
  return told;
}

function withoutDialling() {
  return { limits: { ...LOOPBACK.limits, outboundTarget: 0 } };
}

function text({ reached, heard, seconds }: Book): string {
  const kept = `${reached} of ${HONEST} reached and ${heard} of ${HONEST} heard of stay`;
  return `${kept}; after a restart all peers ${took(seconds, SECONDS_MAX)}`;
}
