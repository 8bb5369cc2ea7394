import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { generateKeyPair } from '@libp2p/crypto/keys';
import { peerIdFromPrivateKey } from '@libp2p/peer-id';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, temporaryDirectory } from 'svc-base/testing';
import { SvcError } from 'svc-wasm/base';
import { BAN_MILLIS, BANS_MAX, Bans } from './bans.ts';
import { type EvictablePeer, peerToEvict } from './eviction.ts';
import { decodePeers, encodePeers, PEERS_PER_ANSWER_MAX } from './exchange-bytes.ts';
import { PEER_BOOK_OPTIONS, PeerBook } from './peer-book.ts';
import { PeerBookFile } from './peer-book-file.ts';

const PUBLIC = { ...PEER_BOOK_OPTIONS, allowPrivateAddresses: false };
const HOUR = 3_600_000;

async function someId(): Promise<string> {
  return peerIdFromPrivateKey(await generateKeyPair('Ed25519')).toString();
}

test('reported private, loopback and portless addresses are not kept, except for development', () => {
  const book = new PeerBook(PUBLIC, () => 0);
  for (const host of ['127.0.0.1', '10.0.0.1', 'fe80::1', '::1'])
    assert.equal(book.hear(`id ${host}`, { host, port: 1 }), false);
  assert.equal(book.hear('a', { host: '8.8.8.8', port: 0 }), false);
  assert.equal(book.hear('a', { host: '8.8.8.8', port: 1 }), true);
  const development = new PeerBook({ ...PUBLIC, allowPrivateAddresses: true }, () => 0);
  assert.equal(development.hear('a', { host: '127.0.0.1', port: 1 }), true);
});

test('one range of addresses cannot fill the book, and a report does not move a proven peer', () => {
  const book = new PeerBook(PUBLIC, () => 0);
  for (let i = 1; i < 100; i++) book.hear(`peer ${i}`, { host: `8.8.8.${i}`, port: 1 });
  assert.equal(book.size, PUBLIC.perRangeMax);
  book.seen('proven', { host: '9.9.9.9', port: 5 }, true);
  assert.equal(book.hear('proven', { host: '7.7.7.7', port: 5 }), false);
  assert.equal(book.get('proven')?.address.host, '9.9.9.9');
});

test('the book is bounded and forgets reported peers before reached ones', () => {
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

test('scores fade, failures delay the next try, and a reported address that fails is forgotten', () => {
  let now = 0;
  const book = new PeerBook(PUBLIC, () => now);
  book.seen('a', { host: '9.9.9.9', port: 5 }, true);
  book.setScore('a', -80);
  now = HOUR;
  assert.equal(book.scoreOf('a'), -40);
  book.tried('a');
  book.failed('a', true);
  assert.equal(book.candidates().length, 0);
  now += 20_000;
  assert.equal(book.candidates().length, 1);
  book.hear('b', { host: '8.8.8.8', port: 5 });
  for (let i = 0; i < 20; i++) for (const id of ['a', 'b']) book.failed(id, true);
  assert.equal(book.get('b'), undefined);
  assert.notEqual(book.get('a'), undefined, 'who was reached once may come back');
});

test('failures while no peer is reached delay a peer for minutes and are no reason to forget it', () => {
  let now = HOUR;
  const book = new PeerBook(PUBLIC, () => now);
  book.hear('heard', { host: '8.8.8.8', port: 5 });
  book.seen('reached', { host: '9.9.9.9', port: 5 }, true);
  for (let i = 0; i < 50; i++) {
    for (const id of ['heard', 'reached']) book.tried(id);
    for (const id of ['heard', 'reached']) book.failed(id, false);
  }
  now += 600_000;
  assert.deepEqual(
    book
      .candidates()
      .map(({ id }) => id)
      .sort(),
    ['heard', 'reached'],
  );
});

test('a reached peer that is gone is dialled after all others, and displaced as the reports of one source are', () => {
  let now = HOUR;
  const book = new PeerBook({ ...PUBLIC, sizeMax: 8 }, () => now);
  for (let i = 0; i < 4; i++) book.seen(`gone ${i}`, { host: `9.9.9.${i}`, port: 5 }, true);
  book.setAnchors(new Set(['gone 0']));
  for (let i = 0; i < 12; i++) for (let j = 0; j < 4; j++) book.failed(`gone ${j}`, true);
  book.seen('near', { host: '9.9.9.10', port: 5 }, true);
  book.seen('poor', { host: '9.9.8.1', port: 5 }, true);
  book.setScore('poor', -80);
  assert.deepEqual(
    book
      .candidates()
      .slice(0, 2)
      .map(({ id }) => id),
    ['near', 'poor'],
  );
  for (let i = 0; i < 9; i++) {
    now++;
    book.hear(`heard ${i}`, { host: `8.8.${i}.1`, port: 5 }, 's');
  }
  const left = book.list().filter(({ id }) => id.startsWith('gone'));
  assert.deepEqual([left.length, book.get('near')?.isProven], [3, true]);
});

test('a reported peer displaces no reached one, also in a book of reached peers alone', () => {
  const book = new PeerBook({ ...PUBLIC, sizeMax: 16 }, () => HOUR);
  for (let i = 0; i < 16; i++) book.seen(`reached ${i}`, { host: `9.9.${i}.1`, port: 5 }, true);
  assert.equal(book.hear('heard', { host: '8.8.8.8', port: 5 }, 's'), false);
  book.seen('dialled us', { host: '8.8.9.8', port: 5 }, false);
  assert.equal(book.list().filter(({ isProven }) => isProven).length, 16);
  book.seen('reached now', { host: '8.8.7.8', port: 5 }, true);
  assert.equal(book.get('reached now')?.isProven, true);
  assert.equal(book.size, 16);
});

test('peers of a range that are gone keep no neighbour out', () => {
  const book = new PeerBook(PUBLIC, () => HOUR);
  for (let i = 0; i < 8; i++) book.seen(`gone ${i}`, { host: `9.9.9.${i}`, port: 5 }, true);
  assert.equal(book.hear('neighbour', { host: '9.9.9.100', port: 5 }), false);
  for (let i = 0; i < 12; i++) book.failed('gone 3', true);
  assert.equal(book.hear('neighbour', { host: '9.9.9.100', port: 5 }), true);
  assert.equal(book.get('gone 3'), undefined);
});

test('bans end by themselves and are bounded', () => {
  const clock = new ManualClock(0);
  const bans = new Bans(clock);
  bans.add({ subject: 'peer', reason: 'garbage', untilMillis: 1_000 });
  assert.equal(bans.isPeerBanned('peer'), true);
  clock.advance(1_000);
  assert.equal(bans.isPeerBanned('peer'), false);
  assert.deepEqual(bans.list(), []);
  for (let i = 0; i < BANS_MAX + 10; i++)
    bans.add({ subject: `${i}`, reason: '', untilMillis: 2_000 + i });
  assert.equal(bans.list().length, BANS_MAX);
  assert.equal(bans.isPeerBanned(`${BANS_MAX + 9}`), true);
  assert.equal(bans.isPeerBanned('3'), false);
});

test('a wall clock that is set, ahead or back, ends no ban and makes none longer', () => {
  for (const jump of [HOUR, 30 * HOUR, -HOUR, -30 * HOUR]) {
    const clock = new ManualClock();
    const bans = new Bans(clock);
    bans.add({ subject: 'peer', reason: 'garbage', untilMillis: clock.now() + BAN_MILLIS });
    clock.advance(HOUR / 2);
    clock.setWall(clock.now() + jump);
    clock.advance(HOUR / 2 - 1);
    assert.equal(bans.isPeerBanned('peer'), true, `after ${jump / HOUR} h`);
    assert.deepEqual(
      bans.list().map(({ untilMillis }) => untilMillis),
      [clock.now() + 1],
      'the end by the clock of now',
    );
    clock.advance(1);
    assert.equal(bans.isPeerBanned('peer'), false, `after ${jump / HOUR} h`);
  }
});

test('a ban of an earlier run lasts as the wall clock says, and no longer than one of this run', () => {
  const clock = new ManualClock();
  const bans = new Bans(clock);
  bans.restore({ subject: 'soon', reason: 'garbage', untilMillis: clock.now() + 1_000 });
  bans.restore({ subject: 'ahead', reason: 'garbage', untilMillis: clock.now() + 24 * HOUR });
  clock.advance(1_000);
  assert.equal(bans.isPeerBanned('soon'), false);
  clock.advance(BAN_MILLIS - 1_001);
  assert.equal(bans.isPeerBanned('ahead'), true);
  clock.advance(1);
  assert.equal(bans.isPeerBanned('ahead'), false);
});

test('a ban of an IPv6 peer is one of its /64, of an IPv4 peer one of its address', () => {
  const bans = new Bans(new ManualClock(0));
  const ban = (host: string): void =>
    bans.addPeer({ id: `at ${host}`, address: { host, port: 1 } }, 'garbage', 1_000);
  ban('2606:4700:1:2::7');
  assert.equal(bans.isHostBanned('2606:4700:1:2:ffff::9'), true);
  assert.equal(bans.isHostBanned('2606:4700:1:3::7'), false);
  ban('9.9.9.9');
  assert.equal(bans.isHostBanned('9.9.9.9'), true);
  assert.equal(bans.isHostBanned('9.9.9.10'), false);
  assert.deepEqual(
    bans.list().map(({ subject }) => subject),
    ['at 2606:4700:1:2::7', '2606:4700:1:2::/64', 'at 9.9.9.9', '9.9.9.9'],
  );
  // As earlier releases wrote it down.
  bans.add({ subject: '2606:4700:5:6::1', reason: 'garbage', untilMillis: 1_000 });
  assert.equal(bans.isHostBanned('2606:4700:5:6::2'), true);
  assert.equal(bans.lift('2606:4700:5:6::3'), true);
  assert.equal(bans.isHostBanned('2606:4700:5:6::2'), false);
});

test('the book and the bans survive a restart; a damaged file is set aside', async (t) => {
  const directory = temporaryDirectory(t);
  const clock = new ManualClock(5_000);
  const now = (): number => clock.now();
  const book = new PeerBook(PUBLIC, now);
  const bans = new Bans(clock);
  const id = await someId();
  book.seen(id, { host: '9.9.9.9', port: 5 }, true);
  book.setScore(id, -50);
  bans.add({ subject: id, reason: 'garbage', untilMillis: 10_000 });
  const file = new PeerBookFile(directory, SILENT_LOG);
  await file.save(book, bans);
  const again = { book: new PeerBook(PUBLIC, now), bans: new Bans(clock) };
  await file.load(again.book, again.bans);
  assert.deepEqual(again.book.list(), book.list());
  assert.deepEqual(again.bans.list(), bans.list());
  const path = join(directory, 'peers.json');
  const written = await readFile(path, 'utf8');
  const earlier = new PeerBook(PUBLIC, now);
  await writeFile(path, written.replace(/ "sum": "[0-9a-f]+",\n/, ''));
  await file.load(earlier, new Bans(clock));
  assert.deepEqual(earlier.list(), book.list(), 'a file of an earlier release');
  const other = written.replace('"9.9.9.9"', '"9.9.9.8"');
  for (const damage of [
    other,
    '{',
    '{"version":2}',
    '[]',
    '{"version":1,"peers":[{}],"bans":[]}',
  ]) {
    await writeFile(path, damage);
    const empty = new PeerBook(PUBLIC, now);
    await file.load(empty, new Bans(clock));
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

function made(id: string, host: string, joinedAtMillis: number, usefulness = 0): EvictablePeer {
  return { id, joinedAtMillis, usefulness, address: { host, port: 1 } };
}

test('newcomers of ranges of their own replace each other, not those that were there before', () => {
  let peers = Array.from({ length: 64 }, (_, at) => made(`old ${at}`, `8.${at}.1.1`, at));
  for (let at = 0; at < 400; at++) {
    const evicted = peerToEvict(peers);
    assert.equal(evicted?.id, at === 0 ? 'old 63' : `new ${at - 1}`);
    const newcomer = made(`new ${at}`, `9.${at >> 8}.${at & 255}.1`, 1_000 + at);
    peers = [...peers.filter((peer) => peer !== evicted), newcomer];
  }
});

test('of ranges that are as crowded the one with the youngest peer loses it', () => {
  const crowd = ['1.1.1', '2.2.2', '3.3.3'].flatMap((range, at) =>
    [1, 2].map((last) => made(`${range}.${last}`, `${range}.${last}`, 100 * last - at)),
  );
  const old = Array.from({ length: 2 }, (_, at) => made(`old ${at}`, `8.${at}.1.1`, at));
  assert.equal(peerToEvict([...old, ...crowd])?.id, '1.1.1.2');
});

test('a storm of newcomers from a few ranges evicts its own kind, not the old, the useful or the distinct', () => {
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

test('the reports of one source displace neither those of others nor reached peers', () => {
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

test('reported peers of its range do not keep out a peer that was reached', () => {
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
