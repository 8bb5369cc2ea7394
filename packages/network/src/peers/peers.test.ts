import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { generateKeyPair } from '@libp2p/crypto/keys';
import { peerIdFromPrivateKey } from '@libp2p/peer-id';
import { SILENT_LOG } from 'svc-base/pure';
import { temporaryDirectory } from 'svc-base/testing';
import { SvcError } from 'svc-wasm/base';
import { BANS_MAX, Bans } from './bans.ts';
import { type EvictablePeer, peerToEvict } from './eviction.ts';
import { decodePeers, encodePeers, PEERS_PER_ANSWER_MAX } from './exchange-bytes.ts';
import { PEER_BOOK_OPTIONS, PeerBook } from './peer-book.ts';
import { PeerBookFile } from './peer-book-file.ts';

const PUBLIC = { ...PEER_BOOK_OPTIONS, allowPrivateAddresses: false };
const HOUR = 3_600_000;

async function someId(): Promise<string> {
  return peerIdFromPrivateKey(await generateKeyPair('Ed25519')).toString();
}

test('hearsay about private, loopback and portless addresses is not kept, except for development', () => {
  const book = new PeerBook(PUBLIC, () => 0);
  for (const host of ['127.0.0.1', '10.0.0.1', 'fe80::1', '::1'])
    assert.equal(book.hear(`id ${host}`, { host, port: 1 }), false);
  assert.equal(book.hear('a', { host: '8.8.8.8', port: 0 }), false);
  assert.equal(book.hear('a', { host: '8.8.8.8', port: 1 }), true);
  const development = new PeerBook({ ...PUBLIC, allowPrivateAddresses: true }, () => 0);
  assert.equal(development.hear('a', { host: '127.0.0.1', port: 1 }), true);
});

test('nobody fills the book with one range of addresses, or moves a proven peer by hearsay', () => {
  const book = new PeerBook(PUBLIC, () => 0);
  for (let i = 1; i < 100; i++) book.hear(`peer ${i}`, { host: `8.8.8.${i}`, port: 1 });
  assert.equal(book.size, PUBLIC.perRangeMax);
  book.seen('proven', { host: '9.9.9.9', port: 5 }, true);
  assert.equal(book.hear('proven', { host: '7.7.7.7', port: 5 }), false);
  assert.equal(book.get('proven')?.address.host, '9.9.9.9');
});

test('the book is bounded and forgets hearsay before experience', () => {
  let now = 0;
  const book = new PeerBook({ ...PUBLIC, sizeMax: 16 }, () => now);
  book.seen('old friend', { host: '9.9.9.9', port: 5 }, true);
  for (let i = 0; i < 100; i++) {
    now += 1_000;
    book.hear(`peer ${i}`, { host: `8.8.${i}.1`, port: 1 });
  }
  assert.equal(book.size, 16);
  assert.notEqual(book.get('old friend'), undefined);
  assert.notEqual(book.get('peer 99'), undefined);
});

test('scores fade, failures delay the next try and end in oblivion', () => {
  let now = 0;
  const book = new PeerBook(PUBLIC, () => now);
  book.seen('a', { host: '9.9.9.9', port: 5 }, true);
  book.setScore('a', -80);
  now = HOUR;
  assert.equal(book.scoreOf('a'), -40);
  book.tried('a');
  book.failed('a');
  assert.equal(book.candidates().length, 0);
  now += 20_000;
  assert.equal(book.candidates().length, 1);
  for (let i = 0; i < 11; i++) book.failed('a');
  assert.equal(book.get('a'), undefined);
});

test('bans end by themselves and are bounded', () => {
  let now = 0;
  const bans = new Bans(() => now);
  bans.add({ subject: 'peer', reason: 'garbage', untilMillis: 1_000 });
  assert.equal(bans.isPeerBanned('peer'), true);
  now = 1_000;
  assert.equal(bans.isPeerBanned('peer'), false);
  assert.deepEqual(bans.list(), []);
  for (let i = 0; i < BANS_MAX + 10; i++)
    bans.add({ subject: `${i}`, reason: '', untilMillis: 2_000 + i });
  assert.equal(bans.list().length, BANS_MAX);
  assert.equal(bans.isPeerBanned(`${BANS_MAX + 9}`), true);
  assert.equal(bans.isPeerBanned('3'), false);
});

test('the book and the bans survive a restart; a damaged file is set aside', async (t) => {
  const directory = temporaryDirectory(t);
  const now = (): number => 5_000;
  const book = new PeerBook(PUBLIC, now);
  const bans = new Bans(now);
  const id = await someId();
  book.seen(id, { host: '9.9.9.9', port: 5 }, true);
  book.setScore(id, -50);
  bans.add({ subject: id, reason: 'garbage', untilMillis: 10_000 });
  const file = new PeerBookFile(directory, SILENT_LOG);
  await file.save(book, bans);
  const again = { book: new PeerBook(PUBLIC, now), bans: new Bans(now) };
  await file.load(again.book, again.bans);
  assert.deepEqual(again.book.list(), book.list());
  assert.deepEqual(again.bans.list(), bans.list());
  const path = join(directory, 'peers.json');
  for (const damage of ['{', '{"version":2}', '[]', '{"version":1,"peers":[{}],"bans":[]}']) {
    await writeFile(path, damage);
    const empty = new PeerBook(PUBLIC, now);
    await file.load(empty, new Bans(now));
    assert.equal(empty.size, 0);
    assert.equal(await readFile(`${path}.damaged`, 'utf8'), damage);
  }
});

test('lists of peers have one form', async () => {
  const peers = [
    { id: await someId(), address: { host: '1.2.3.4', port: 28_700 } },
    { id: await someId(), address: { host: '2606:4700::1', port: 1 } },
  ];
  const bytes = encodePeers(peers);
  assert.deepEqual(decodePeers(bytes), peers);
  for (let length = 0; length < bytes.length; length++)
    assert.throws(() => decodePeers(bytes.subarray(0, length)), SvcError);
  assert.throws(() => decodePeers(Uint8Array.of(PEERS_PER_ANSWER_MAX + 1)), SvcError);
  const badFamily = bytes.slice();
  badFamily[33] = 5;
  assert.throws(() => decodePeers(badFamily), SvcError);
});

test('a storm of newcomers from a few ranges evicts its own kind, not the old, the useful or the distinct', () => {
  const made = (
    id: string,
    host: string,
    joinedAtMillis: number,
    usefulness = 0,
  ): EvictablePeer => ({
    id,
    joinedAtMillis,
    usefulness,
    address: { host, port: 1 },
  });
  let peers: EvictablePeer[] = [
    ...Array.from({ length: 16 }, (_, at) => made(`old ${at}`, `20.0.${at % 4}.1`, at)),
    ...Array.from({ length: 16 }, (_, at) => made(`useful ${at}`, `30.0.${at % 4}.1`, 100 + at, 5)),
    ...Array.from({ length: 16 }, (_, at) => made(`distinct ${at}`, `40.${at}.0.1`, 200 + at)),
    ...Array.from({ length: 16 }, (_, at) => made(`idle ${at}`, `50.0.${at % 4}.1`, 300 + at)),
  ];
  for (let at = 0; at < 500; at++) {
    const evicted = peerToEvict(peers);
    assert.match(evicted?.id ?? '', /^(idle|storm)/);
    peers = [
      ...peers.filter((peer) => peer !== evicted),
      made(`storm ${at}`, `60.0.${at % 4}.1`, 1_000 + at),
    ];
  }
  assert.equal(peers.length, 64);
});

test('one source of hearsay displaces neither that of others nor what was reached', () => {
  let now = 0;
  const book = new PeerBook({ ...PUBLIC, sizeMax: 128 }, () => now);
  book.seen('reached', { host: '9.9.9.9', port: 5 }, true);
  for (let i = 0; i < 40; i++) book.hear(`honest ${i}`, { host: `8.8.${i}.1`, port: 1 }, 'honest');
  for (let i = 0; i < 5_000; i++) {
    now += 1_000;
    const host = `20.${i % 250}.${Math.floor(i / 250)}.1`;
    book.hear(`invented ${i}`, { host, port: 1 }, 'poisoner');
  }
  const of = (prefix: string): number =>
    book.list().filter(({ id }) => id.startsWith(prefix)).length;
  assert.equal(of('invented'), PUBLIC.perSourceMax);
  assert.equal(of('honest'), 40);
  assert.notEqual(book.get('reached'), undefined);
});

test('hearsay in its range does not keep out a peer that was reached', () => {
  const book = new PeerBook(PUBLIC, () => 0);
  for (let i = 1; i < 20; i++) book.hear(`invented ${i}`, { host: `9.9.9.${i}`, port: 1 }, 'x');
  book.seen('reached', { host: '9.9.9.200', port: 5 }, true);
  assert.equal(book.get('reached')?.isProven, true);
});

test('a wall clock that jumps an hour either way keeps no peer from being dialled', () => {
  let now = 10 * HOUR;
  const book = new PeerBook(PUBLIC, () => now);
  book.seen('a', { host: '9.9.9.9', port: 5 }, true);
  for (const jump of [-HOUR, HOUR]) {
    book.tried('a');
    assert.equal(book.candidates().length, 0);
    now += jump;
    assert.equal(book.candidates().length, 1, `after ${jump} ms`);
  }
});

test('peers of the last run come first, then reached and heard ones in turn', () => {
  let order = 0;
  const book = new PeerBook(
    PUBLIC,
    () => HOUR,
    () => order++,
  );
  for (let i = 0; i < 3; i++) book.hear(`heard ${i}`, { host: `8.8.${i}.1`, port: 1 }, 's');
  for (let i = 0; i < 3; i++) book.seen(`reached ${i}`, { host: `9.9.${i}.1`, port: 1 }, true);
  book.setAnchors(new Set(['reached 2']));
  const ids = book.candidates().map(({ id }) => id);
  assert.deepEqual(ids, ['reached 2', 'reached 0', 'heard 0', 'reached 1', 'heard 1', 'heard 2']);
});
