import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import type { Network } from '../src/network.ts';
import { BAN_MILLIS } from '../src/peers/bans.ts';
import { RELAY_PROTOCOL } from '../src/relay/relay.ts';
import {
  encodeAnnouncement,
  encodeIds,
  encodeTransaction,
  RELAY,
  RELAY_LIMITS,
} from '../src/relay/relay-bytes.ts';
import { startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { RawPeer } from './testing/raw-peer.ts';
import { bytesFrom, ChainScript, payment } from './testing/script.ts';

await init();

const script = new ChainScript({ seed: 'relay' });
const { manifest } = script;

function sentBytes(networks: readonly Network[]): number {
  return networks.reduce((sum, { traffic }) => sum + traffic.sentBytes, 0);
}

test('a payment and a block reach a node two steps away, each asked for once', async (t) => {
  const applications = [0, 1, 2].map(() => new MemoryApplication(script));
  const [a, b, c] = applications as [MemoryApplication, MemoryApplication, MemoryApplication];
  const middle = await startNetwork(t, b);
  const bootstrap = [middle.addresses[0] as string];
  const limits = { inboundMax: 0, outboundTarget: 1, perRangeMax: 9, inboundPerSecond: 9 };
  await startNetwork(t, a, { bootstrap, limits });
  await startNetwork(t, c, { bootstrap, limits });
  await until(() => middle.peers.size === 2, 'peers');
  const { id, wire } = payment(manifest, 'one');
  await a.submitTransaction(wire);
  await until(() => c.pool.has(id), 'payment');
  assert.deepEqual(c.transaction(id), wire);
  const block = script.block('block', [{ id, wire }]);
  c.addBlock(block);
  await until(() => a.hasBlock(block.id), 'block');
  assert.deepEqual(await a.block(block.id), block);
  assert.deepEqual([b.submissions, a.submissions.blocks], [{ transactions: 1, blocks: 1 }, 1]);
});

test('a newcomer gets the pending ids, and fetches blocks by id', async (t) => {
  const a = new MemoryApplication(script);
  const b = new MemoryApplication(script);
  const waiting = Array.from({ length: 40 }, (_, index) => payment(manifest, `waiting ${index}`));
  for (const { wire } of waiting) await a.submitTransaction(wire);
  const block = script.block('unannounced', waiting.slice(0, 3));
  a.blocks.set(block.id, block);
  const first = await startNetwork(t, a);
  const second = await startNetwork(t, b, { bootstrap: [first.addresses[0] as string] });
  await until(() => b.pool.size === 40, 'payments');
  const absentId = '00'.repeat(48);
  assert.deepEqual(await second.relay.fetchBlocks([absentId, block.id], 60_000), [block]);
});

test('a peer that announces and does not deliver is passed over for the next', async (t) => {
  const a = new MemoryApplication(script);
  const network = await startNetwork(t, a, { answerMillisMax: 300 });
  const { id, wire } = payment(manifest, 'slow');
  const announcement = encodeAnnouncement({ transactions: [id], blocks: [] });
  const silent = await RawPeer.create(t);
  await silent.join(network, a);
  const silentStream = await silent.open(RELAY_PROTOCOL);
  silentStream.send(RELAY.announce, announcement);
  await until(
    () => silentStream.frames.some(({ kind }) => kind === RELAY.getTransactions),
    'asked',
  );
  const honest = await RawPeer.create(t);
  await honest.join(network, a);
  const stream = await honest.open(RELAY_PROTOCOL, ({ kind }, self) => {
    if (kind === RELAY.getTransactions) self.send(RELAY.transaction, encodeTransaction(id, wire));
  });
  stream.send(RELAY.announce, announcement);
  await until(() => a.pool.has(id), 'payment from the second');
  assert.equal(network.peers.get(silent.id)?.score, 0);
});

test('a block of payments that the peer has costs a small part of its size; cold ones are completed', async (t) => {
  const a = new MemoryApplication(script);
  const b = new MemoryApplication(script);
  const payments = Array.from({ length: 16 }, (_, index) => payment(manifest, `mined ${index}`));
  for (const { wire } of payments) await a.submitTransaction(wire);
  const first = await startNetwork(t, a);
  await startNetwork(t, b, { bootstrap: [first.addresses[0] as string] });
  await until(() => b.pool.size === 16, 'warm mempool');
  const warm = script.block('warm', payments);
  let before = first.traffic.sentBytes;
  a.addBlock(warm);
  await until(() => b.hasBlock(warm.id), 'warm block');
  const warmBytes = first.traffic.sentBytes - before;
  assert.deepEqual(await b.block(warm.id), warm);
  const size = warm.header.length + warm.body.length;
  t.diagnostic(`block of ${size} bytes: ${warmBytes} bytes sent with a warm mempool`);
  assert.ok(warmBytes < 0.05 * size, `${warmBytes} of ${size}`);
  for (const { id } of payments.slice(4)) b.pool.delete(id);
  const cold = script.block('cold', payments);
  before = first.traffic.sentBytes;
  a.addBlock(cold);
  await until(() => b.hasBlock(cold.id), 'cold block');
  const coldBytes = first.traffic.sentBytes - before;
  assert.deepEqual(await b.block(cold.id), cold);
  t.diagnostic(`with 12 of 16 payments missing: ${coldBytes} bytes`);
  assert.ok(coldBytes < 0.85 * size, `${coldBytes} of ${size}`);
});

test('a payment that the peer holds with another signature does not spoil the block', async (t) => {
  const a = new MemoryApplication(script);
  const b = new MemoryApplication(script);
  const mined = payment(manifest, 'signed twice');
  const other = mined.wire.slice();
  other.set(bytesFrom('another signature', 3_000), other.length - 3_000);
  assert.equal((await b.submitTransaction(other)).id, mined.id);
  const first = await startNetwork(t, a);
  const second = await startNetwork(t, b, { bootstrap: [first.addresses[0] as string] });
  await until(() => second.peers.size === 1, 'peers');
  const block = script.block('malleable', [mined]);
  a.addBlock(block);
  await until(() => b.hasBlock(block.id), 'block');
  assert.deepEqual(await b.block(block.id), block);
});

test('relay overhead at eight peers is at most 1.3 of payments and of blocks', async (t) => {
  const applications = Array.from({ length: 9 }, () => new MemoryApplication(script));
  const networks: Network[] = [];
  for (const application of applications) {
    const bootstrap = networks.map(({ addresses }) => addresses[0] as string);
    networks.push(await startNetwork(t, application, { bootstrap }));
  }
  await until(() => networks.every(({ peers }) => peers.size === 8), 'a full mesh');
  await new Promise((resolve) => setTimeout(resolve, 300));
  const payments = Array.from({ length: 180 }, (_, index) => payment(manifest, `load ${index}`));
  let before = sentBytes(networks);
  for (const [index, { wire }] of payments.entries()) {
    await applications[index % 9]?.submitTransaction(wire);
    if (index % 30 === 29) await new Promise((resolve) => setTimeout(resolve, 150));
  }
  await until(() => applications.every(({ pool }) => pool.size === 180), 'payments');
  const paymentBytes = payments.reduce((sum, { wire }) => sum + wire.length, 0);
  const paymentRatio = (sentBytes(networks) - before) / (8 * paymentBytes);
  before = sentBytes(networks);
  const blocks = Array.from({ length: 9 }, (_, index) =>
    script.block(`load ${index}`, payments.slice(index * 16, index * 16 + 16)),
  );
  for (const [index, block] of blocks.entries()) applications[index]?.addBlock(block);
  await until(
    () => applications.every((one) => blocks.every(({ id }) => one.hasBlock(id))),
    'blocks',
  );
  const blockBytes = blocks.reduce((sum, { header, body }) => sum + header.length + body.length, 0);
  const blockRatio = (sentBytes(networks) - before) / (8 * blockBytes);
  t.diagnostic(
    `bytes sent per byte of payment ${paymentRatio.toFixed(3)}, of block ${blockRatio.toFixed(3)}`,
  );
  assert.ok(paymentRatio <= 1.3, `${paymentRatio}`);
  assert.ok(blockRatio <= 1.3, `${blockRatio}`);
  for (const { submissions } of applications)
    assert.ok(submissions.transactions <= 180 + 2, `${submissions.transactions} submissions`);
});

test('work that was not done costs a peer its place after three blocks; the ban ends by itself', async (t) => {
  const a = new MemoryApplication(script);
  let aheadMillis = 0;
  const clock = { ...SYSTEM_CLOCK, monotonic: () => SYSTEM_CLOCK.monotonic() + aheadMillis };
  const network = await startNetwork(t, a, { clock, banMillis: BAN_MILLIS });
  const blocks = [0, 1, 2].map((index) => script.block(`no work ${index}`, []));
  for (const { id } of blocks) a.withoutWork.add(id);
  const cheat = await RawPeer.create(t);
  await cheat.join(network, a);
  const stream = await cheat.open(RELAY_PROTOCOL, ({ kind }, self) => {
    if (kind !== RELAY.getBlocks) return;
    for (const { header, body } of blocks) {
      const bytes = new Uint8Array(header.length + body.length);
      bytes.set(header);
      bytes.set(body, header.length);
      self.send(RELAY.fullBlock, bytes);
    }
  });
  const ids = blocks.map(({ id }) => id);
  stream.send(RELAY.announce, encodeAnnouncement({ transactions: [], blocks: ids }));
  await until(() => network.peers.size === 0, 'ban');
  const [ban] = network.bans.list();
  assert.equal(ban?.subject, cheat.id);
  assert.match(ban?.reason ?? '', /no node can accept/);
  await assert.rejects(cheat.join(network, a));
  aheadMillis = BAN_MILLIS;
  await cheat.join(network, a);
  assert.equal(network.bans.list().length, 0);
});

const id = new Uint8Array(48);
const GARBAGE: readonly [string, number, Uint8Array][] = [
  ['a list of ids that ends early', RELAY.announce, Uint8Array.of(2, ...id)],
  ['more ids than allowed', RELAY.getTransactions, Uint8Array.of(33)],
  ['no id at all', RELAY.getBlocks, Uint8Array.of(0)],
  ['a height beyond all heights', RELAY.cut, new Uint8Array(56).fill(0xff, 0, 8)],
  ['half a header', RELAY.fullBlock, new Uint8Array(200)],
  ['indexes that descend', RELAY.getBlockTransactions, Uint8Array.of(...id, 2, 5, 4)],
  ['a padded varint', RELAY.blockTransactions, Uint8Array.of(...id, 0x80, 0x00)],
  ['a compact block without parents', RELAY.compactBlock, new Uint8Array(312 + 49)],
  ['a transaction without an id', RELAY.transaction, new Uint8Array(47)],
];
for (const [name, kind, payload] of GARBAGE)
  test(`garbage on the relay stream, ${name}: the peer pays and is disconnected`, async (t) => {
    const a = new MemoryApplication(script);
    const network = await startNetwork(t, a);
    const raw = await RawPeer.create(t);
    await raw.join(network, a);
    const peer = network.peers.get(raw.id);
    const stream = await raw.open(RELAY_PROTOCOL);
    stream.send(kind, payload);
    await until(() => network.peers.size === 0, 'disconnection');
    assert.equal(peer?.score, -50);
  });

test('a flood of announcements is read at the pace of its budget and fills nothing', async (t) => {
  const a = new MemoryApplication(script);
  const network = await startNetwork(t, a);
  const raw = await RawPeer.create(t);
  await raw.join(network, a);
  const stream = await raw.open(RELAY_PROTOCOL);
  const limit = RELAY_LIMITS[RELAY.announce] as number;
  const frames = 1_500;
  const startedAt = performance.now();
  for (let i = 0; i < frames; i++) {
    const ids = Array.from({ length: 512 }, (_, n) => n).map((n) => `${i}-${n}`);
    const payload = encodeIds(
      ids.map((text) => Buffer.from(bytesFrom(text, 6)).toString('hex').repeat(8)),
    );
    const both = new Uint8Array(payload.length + 1);
    both.set(payload);
    stream.send(RELAY.announce, both);
    if (i % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    if (stream.stream.writeBufferLength > 4_000_000) break;
  }
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const received = network.traffic.receivedBytes;
  const seconds = (performance.now() - startedAt) / 1_000;
  const allowed = 16_777_216 + seconds * 4_194_304 + 200 * limit;
  assert.ok(received < allowed, `${received} of ${allowed}`);
  assert.equal(network.peers.size, 1);
  const asked = stream.frames.filter(({ kind }) => kind === RELAY.getTransactions);
  const askedIds = asked.reduce((sum, { payload }) => sum + (payload.length - 1) / 48, 0);
  assert.ok(askedIds <= 256, `${askedIds} ids asked of one peer`);
});

test('pending announcements are asked for no more often than a peer reads that', async (t) => {
  const a = new MemoryApplication(script).adopt();
  const clock = { ...SYSTEM_CLOCK, monotonic: () => 0 };
  const network = await startNetwork(t, a, { clock });
  const raw = await RawPeer.create(t);
  await raw.join(network, a);
  const { frames } = await raw.open(RELAY_PROTOCOL);
  const asked = (): number => frames.filter(({ kind }) => kind === RELAY.getPending).length;
  for (let times = 1; times <= 4; times++) {
    network.relay.askForPending();
    await until(() => asked() === times, `question ${times}`);
  }
  network.relay.askForPending();
  await a.submitTransaction(payment(script.manifest, 'after the questions').wire);
  await until(() => frames.some(({ kind }) => kind === RELAY.announce), 'what is announced later');
  assert.equal(asked(), 4);
});
