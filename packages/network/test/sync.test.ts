import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { concatBytes, LABELS } from 'svc-wasm/base';
import { hashLabel } from 'svc-wasm/protocol';
import type { SyncProgress } from '../src/sync/progress.ts';
import {
  decodeHeaderRange,
  encodeHeaderRange,
  encodeHeightRange,
  encodeIdsRange,
  SYNC,
} from '../src/sync/sync-bytes.ts';
import { SYNC_PROTOCOL } from '../src/sync/sync-server.ts';
import { startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { impostor, RawPeer } from './testing/raw-peer.ts';
import { ChainScript } from './testing/script.ts';

await init();

const LENGTH = 150;
const script = new ChainScript({ seed: 'sync', epochCuts: 40, blocksPerCut: 2 }).grow(LENGTH);
const whole = new MemoryApplication(script).adopt();
const TIMING = { silenceMillisMax: 700, impatienceMillis: 300 };

test('a newcomer syncs over epochs from two peers, and follows new cuts after that', async (t) => {
  const chain = new ChainScript({ seed: 'follow', epochCuts: 40, blocksPerCut: 2 }).grow(100);
  const full = [new MemoryApplication(chain).adopt(), new MemoryApplication(chain).adopt()];
  const servers = await Promise.all(full.map((application) => startNetwork(t, application)));
  const newcomer = new MemoryApplication(chain);
  const bootstrap = servers.map(({ addresses }) => addresses[0] as string);
  const network = await startNetwork(t, newcomer, { bootstrap });
  await until(() => newcomer.tip.height === 100, 'sync');
  assert.deepEqual(newcomer.tip, full[0]?.tip);
  assert.equal(network.sync.bestPeerHeight, 100);
  assert.equal(network.sync.isSynced, true);
  for (const height of [101, 102, 103]) {
    const cut = chain.append();
    for (const application of full) application.adopt();
    await until(() => newcomer.tip.height === height, `cut ${height}`);
    assert.equal(newcomer.tip.cutId, cut.id);
  }
});

test('a node that spaces certificates fetches four cuts with the certificate of the last', async (t) => {
  const chain = new ChainScript({ seed: 'spaced', validators: 4 }).grow(8);
  const full = new MemoryApplication(chain).adopt();
  const server = await startNetwork(t, full);
  const follower = new MemoryApplication(chain).adopt();
  const network = await startNetwork(t, follower, {
    bootstrap: [server.addresses[0] as string],
    certificateSpacing: { cuts: 4, waitMillisMax: 3_600_000 },
  });
  await until(() => network.peers.list().length === 1, 'the peer');
  for (const height of [9, 10, 11]) {
    chain.append();
    full.adopt();
    await until(() => network.peers.list()[0]?.claimedHeight === height, `the claim of ${height}`);
    assert.equal(network.sync.isSynced, true);
  }
  chain.append();
  full.adopt();
  await until(() => follower.tip.height === 12, 'four cuts');
  const certified = follower.cuts.slice(8).map(({ certificate }) => certificate !== null);
  assert.deepEqual(certified, [false, false, false, true]);
});

test('cuts that stay fewer than the spacing are fetched when they have waited', async (t) => {
  const chain = new ChainScript({ seed: 'slow', validators: 4 }).grow(8);
  const full = new MemoryApplication(chain).adopt();
  const server = await startNetwork(t, full);
  const follower = new MemoryApplication(chain).adopt();
  await startNetwork(t, follower, {
    bootstrap: [server.addresses[0] as string],
    certificateSpacing: { cuts: 4, waitMillisMax: 300 },
  });
  chain.append();
  full.adopt();
  await until(() => follower.tip.height === 9, 'the cut that waited');
  assert.notEqual(follower.cuts[8]?.certificate, null);
});

test('what is installed stays installed: a sync that was stopped continues where it was', async (t) => {
  const server = await startNetwork(t, new MemoryApplication(script).adopt());
  const newcomer = new MemoryApplication(script);
  newcomer.installDelayMillis = 5;
  const bootstrap = [server.addresses[0] as string];
  const heights: number[] = [];
  for (let run = 0; run < 3; run++) {
    const network = await startNetwork(t, newcomer, { bootstrap });
    const from = newcomer.tip.height;
    await until(() => newcomer.tip.height >= from + 30, 'some cuts');
    await network.close();
    heights.push(newcomer.tip.height);
  }
  await startNetwork(t, newcomer, { bootstrap });
  await until(() => newcomer.tip.height === LENGTH, 'the rest');
  assert.ok(heights.every((height, index) => index === 0 || height > (heights[index - 1] ?? 0)));
});

test('progress is reported while a node catches up, and once when it has', async (t) => {
  const server = await startNetwork(t, new MemoryApplication(script).adopt());
  const newcomer = new MemoryApplication(script);
  newcomer.installDelayMillis = 20;
  const seen: SyncProgress[] = [];
  const bootstrap = [server.addresses[0] as string];
  await startNetwork(t, newcomer, { bootstrap }, ({ sync }) => {
    sync.progressed.on((progress) => seen.push(progress));
  });
  await until(() => seen.at(-1)?.height === LENGTH, 'the last progress');
  assert.ok(seen.length >= 2);
  assert.ok(seen.every(({ targetHeight }) => targetHeight === LENGTH));
  const last = seen.at(-1);
  assert.ok(last !== undefined && last.cutsPerSecond > 0);
  assert.equal(last.secondsLeft, 0);
});

test('a height that no peer can show is not believed', async (t) => {
  const application = new MemoryApplication(script).adopt(50);
  const network = await startNetwork(t, application, { syncTiming: TIMING });
  const boaster = await RawPeer.create(t);
  await boaster.host.handle(SYNC_PROTOCOL, (stream) => {
    stream.addEventListener('message', () => stream.send(Uint8Array.of(0, 0)));
  });
  await boaster.join(network, application, 1_000_000);
  await until(() => network.sync.isSynced, 'the claim is dropped');
  assert.equal(network.sync.bestPeerHeight, 50);
  assert.equal(network.peers.size, 1);
});

const LIES: readonly [string, (kind: number, payload: Uint8Array) => Uint8Array][] = [
  [
    'headers that do not link',
    (kind, payload) => {
      if (kind !== SYNC.headers) return payload;
      const { headers, certificate } = decodeHeaderRange(payload);
      return encodeHeaderRange({ headers: [...headers].reverse(), certificate });
    },
  ],
  [
    'a certificate with a wrong signature',
    (kind, payload) => {
      const changed = payload.slice();
      const at = changed.length - 100;
      if (kind === SYNC.headers) changed[at] = (changed[at] as number) ^ 1;
      return changed;
    },
  ],
  [
    'wrong bodies of cuts',
    (kind, payload) =>
      kind === SYNC.body ? concatBytes(payload.subarray(0, 8), Uint8Array.of(0, 0)) : payload,
  ],
  [
    'wrong bodies of blocks',
    (kind, payload) => {
      const changed = payload.slice();
      if (kind === SYNC.block) changed[500] = (changed[500] as number) ^ 1;
      return changed;
    },
  ],
];
/** As another thread answers: some turns later. */
const hashLater = async (body: Uint8Array): Promise<Uint8Array> => {
  await new Promise((resolve) => setImmediate(resolve));
  return hashLabel(LABELS.body, body);
};
const WAYS = [undefined, hashLater].flatMap((hashBody) =>
  LIES.map(([name, change]) => ({ name, change, hashBody })),
);
for (const { name, change, hashBody } of WAYS)
  test(`a peer that serves ${name} is found out, replaced and pays, bodies hashed by ${hashBody?.name ?? 'the thread'}`, async (t) => {
    const newcomer = new MemoryApplication(script);
    newcomer.hashBody = hashBody;
    const network = await startNetwork(t, newcomer, { syncTiming: TIMING });
    const liar = await impostor(t, network, whole, change);
    await until(() => (network.peers.get(liar.id)?.score ?? 0) < 0, 'the lie is found out');
    assert.ok(newcomer.tip.height < LENGTH);
    const application = new MemoryApplication(script).adopt();
    await startNetwork(t, application, { bootstrap: [network.addresses[0] as string] });
    await until(() => newcomer.tip.height === LENGTH, 'sync from the honest peer');
    assert.deepEqual(newcomer.tip, application.tip);
  });

test('a peer that falls silent is passed over and loses no points', async (t) => {
  const newcomer = new MemoryApplication(script);
  const network = await startNetwork(t, newcomer, { syncTiming: TIMING });
  const silent = await impostor(t, network, whole, (kind, payload) =>
    kind === SYNC.headers || kind === SYNC.set || kind === 0 ? payload : undefined,
  );
  await until(() => network.sync.queuedCuts > 0, 'headers');
  const application = new MemoryApplication(script).adopt();
  await startNetwork(t, application, { bootstrap: [network.addresses[0] as string] });
  await until(() => newcomer.tip.height === LENGTH, 'sync from the other peer');
  assert.equal(network.peers.get(silent.id)?.score, 0);
});

test('a slow peer does not hold up the others', async (t) => {
  const newcomer = new MemoryApplication(script);
  const network = await startNetwork(t, newcomer, {
    syncTiming: { silenceMillisMax: 3_600_000, impatienceMillis: 300 },
  });
  let isFast = true;
  const slow = await impostor(t, network, whole, (kind, payload) => {
    if (kind === SYNC.block) isFast = false;
    return isFast || kind !== SYNC.block ? payload : undefined;
  });
  await until(() => !isFast, 'a block that does not come');
  const application = new MemoryApplication(script).adopt();
  await startNetwork(t, application, { bootstrap: [network.addresses[0] as string] });
  await until(() => newcomer.tip.height === LENGTH, 'sync, with the slow peer still in use');
  assert.equal(network.peers.get(slow.id)?.score, 0);
});

test('a certified cut of a newer protocol stops the node and asks for an update', async (t) => {
  const newer = new ChainScript({ seed: 'newer' }).grow(3);
  const application = new MemoryApplication(newer).adopt();
  const server = await startNetwork(t, application);
  const newcomer = new MemoryApplication(newer);
  newcomer.identity = { ...newcomer.identity, protocolVersion: 0 };
  const network = await startNetwork(t, newcomer, { bootstrap: [server.addresses[0] as string] });
  const stops: string[] = [];
  network.sync.stopped.on(({ reason, height }) => stops.push(`${reason} at ${height}`));
  await until(() => stops.length > 0, 'stop');
  assert.deepEqual(stops, ['update_required at 1']);
  assert.equal(newcomer.tip.height, 0);
});

const GARBAGE: readonly [string, number, Uint8Array][] = [
  ['a range of no heights', SYNC.getHeaders, encodeHeightRange({ from: 1, count: 0 })],
  ['a range that is too long', SYNC.getHeaders, encodeHeightRange({ from: 1, count: 577 })],
  ['the genesis', SYNC.getBodies, encodeHeightRange({ from: 0, count: 1 })],
  ['half a number', SYNC.getCut, new Uint8Array(7)],
  ['half an id', SYNC.getSet, new Uint8Array(47)],
  ['too many ids', SYNC.getBlocks, Uint8Array.of(65)],
  ['no ids', SYNC.getCutIds, encodeIdsRange({ height: 9, from: 1, count: 0 })],
  [
    'too many ids of cuts',
    SYNC.getCutIds,
    encodeIdsRange({ height: 9_999, from: 1, count: 4_097 }),
  ],
  ['ids above the list', SYNC.getCutIds, encodeIdsRange({ height: 9, from: 8, count: 2 })],
  ['an answer', SYNC.headers, new Uint8Array(4)],
];
for (const [name, kind, payload] of GARBAGE)
  test(`garbage on the sync stream, ${name}: the peer pays`, async (t) => {
    const application = new MemoryApplication(script);
    const network = await startNetwork(t, application);
    const raw = await RawPeer.create(t);
    await raw.join(network, application);
    const peer = network.peers.get(raw.id);
    const stream = await raw.open(SYNC_PROTOCOL);
    stream.send(kind, payload);
    await until(() => (peer?.score ?? 0) < 0, 'fault');
    assert.equal(peer?.score, -50);
  });

test('requests are answered one at a time, and only as fast as they are read', async (t) => {
  const application = new MemoryApplication(script).adopt();
  const network = await startNetwork(t, application);
  const raw = await RawPeer.create(t);
  await raw.join(network, application);
  const stream = await raw.open(SYNC_PROTOCOL);
  for (let i = 0; i < 400; i++)
    stream.send(SYNC.getHeaders, encodeHeightRange({ from: 1, count: 100 }));
  stream.stream.pause();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const sent = network.traffic.sentBytes;
  assert.ok(sent < 6_000_000, `${sent} bytes for a peer that does not read`);
});

test('a chain that moves by itself while it syncs is no reason to stop', async (t) => {
  const server = await startNetwork(t, new MemoryApplication(script).adopt());
  const mover = new MemoryApplication(script);
  mover.installDelayMillis = 10;
  const network = await startNetwork(t, mover, { bootstrap: [server.addresses[0] as string] });
  const stops: string[] = [];
  network.sync.stopped.on(({ reason }) => stops.push(reason));
  for (const height of [5, 12, 30, 55, 90]) {
    await until(() => mover.tip.height >= height, `height ${height}`);
    mover.adopt(mover.tip.height + 7);
  }
  await until(() => mover.tip.height === LENGTH, 'the rest');
  assert.deepEqual(stops, []);
});
