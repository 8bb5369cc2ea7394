/**
 * One full cut, applied by the ledger and committed durably with all indexes, beside writing the same
 * number of raw pairs to the same engine. What it executes was registered by the cut before it, so that a node reads what it needs
 * between the two; that time is told apart, and as a sum with the cut. The blocks of all files were checked before, as those of a node
 * are some minutes after its start. Size 1 is a million outputs, size 10 ten million; beyond one
 * million the smaller store is measured too, for the growth of the cost.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClassicLevel } from 'classic-level';
import { applyCut } from 'svc-ledger';
import { type LedgerStore, readTablesUnmapped, type WriteBatch } from 'svc-storage';
import { init } from 'svc-wasm';
import type { BenchOptions, Row } from './harness.ts';
import { copyAsKilled } from './killed-store.ts';
import { commitOf } from './store-commit.ts';
import { PAYMENTS_PER_CUT, StoreFixture } from './store-fixture.ts';

const OUTPUTS = 1_000_000;
const SMOKE_OUTPUTS = 20_000;
const CUTS = 16;
/** The first full cuts meet cold code and caches. */
const WARM_CUTS = 3;
/** Cuts come at the pace of the network: the engine merges its files between them. */
const PACE_MILLIS = 2_500;
const RAW_KEY_BYTES = 52;
const RAW_VALUE_BYTES = 70;

const WALL_MILLIS_MAX = 1_000;
const PEER_TIMES_MAX = 4;
const PEER_TIMES_WITH_READING_MAX = 5;
const GROWTH_MAX = 1.4;
const TABLE_BYTES_PER_OUTPUT_MAX = 44;
/** Of the time that the engine takes to hand out the buckets of the tree, one by one and unread. */
const OPEN_TIMES_MAX = 4;
/** What is promised of ten million outputs. */
const OPEN_SAVED_MILLIS_MAX = 2_000;
const RESIDENT_BYTES_MAX = 1.5e9;
const EVERYTHING = { from: new Uint8Array(0), to: new Uint8Array(64).fill(0xff) };
const OUTPUT_BUCKETS = { from: Uint8Array.of(0x20, 1), to: Uint8Array.of(0x20, 2) };

type Peer = ClassicLevel<Uint8Array, Uint8Array>;

/** The engine as anybody would use it, with the store's own sizes. */
const PEER_OPTIONS = {
  keyEncoding: 'view',
  valueEncoding: 'view',
  compression: false,
  writeBufferSize: 64 << 20,
} as const;

interface Measured {
  readonly outputs: number;
  /** With what the cuts have added. */
  readonly outputsAfter: number;
  /** From the decision on. */
  readonly cutMillis: readonly number[];
  /** Reading ahead, before it. */
  readonly readMillis: readonly number[];
  readonly peerMillis: readonly number[];
  readonly pairs: number;
  readonly openMillis: number;
  readonly scanMillis: number;
  /** Opened again after a proper end, with the trees that were saved then. */
  readonly reopenMillis: number;
  /** Opened as a kill after the last cut would have left it. */
  readonly killedMillis: number;
  readonly tableBytes: number;
  readonly residentBytes: number;
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  readTablesUnmapped(); // As a node does.
  await init();
  const cuts = options.smoke ? WARM_CUTS + 2 : CUTS;
  const sizes = options.smoke
    ? [SMOKE_OUTPUTS]
    : [...new Set([Math.min(1, options.size), options.size])].map((size) => size * OUTPUTS);
  const rows: Row[] = [];
  const measured: Measured[] = [];
  for (const outputs of sizes) {
    const result = await measureIn(Math.round(outputs), cuts);
    measured.push(result);
    rows.push(...rowsOf(result));
  }
  const [small, large] = measured;
  if (small !== undefined && large !== undefined) rows.push(growthRow(small, large));
  return rows;
}

async function measureIn(outputs: number, cuts: number): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-cut-bench-'));
  try {
    return await measure(directory, outputs, cuts);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(directory: string, outputs: number, cuts: number): Promise<Measured> {
  const fixture = new StoreFixture(join(directory, 'store'), outputs);
  await fixture.build();
  const peer: Peer = new ClassicLevel(join(directory, 'peer'), PEER_OPTIONS);
  await peer.open();
  const opening = performance.now();
  const store = await fixture.open();
  const openMillis = performance.now() - opening;
  const scanMillis = await timeScan(store);
  for await (const entries of store.keyValues.scan(EVERYTHING)) void entries;
  const counter = new WriteCounter(store);
  const cutMillis: number[] = [];
  const readMillis: number[] = [];
  const peerMillis: number[] = [];
  for (let height = 1; height <= cuts; height++) {
    const next = sleep(cuts < CUTS ? 0 : PACE_MILLIS);
    const { cut, read } = await timeCut(store, fixture, height);
    await next;
    const pause = sleep(cuts < CUTS ? 0 : PACE_MILLIS);
    const raw = await timePeer(peer, counter.pairs);
    await pause;
    if (height <= WARM_CUTS) continue;
    cutMillis.push(cut);
    readMillis.push(read);
    peerMillis.push(raw);
  }
  const tableBytes = store.trees.memoryBytes;
  const residentBytes = process.memoryUsage().rss;
  const outputsAfter = store.head?.outputs ?? 0;
  const killed = join(directory, 'killed');
  copyAsKilled(fixture.directory, killed);
  await store.close();
  await peer.close();
  const killedMillis = await timeKilled(fixture, killed);
  const reopenMillis = least([await timeOpen(fixture), await timeOpen(fixture)]);
  const { pairs } = counter;
  return {
    outputs,
    outputsAfter,
    cutMillis,
    readMillis,
    peerMillis,
    pairs,
    openMillis,
    scanMillis,
    reopenMillis,
    killedMillis,
    tableBytes,
    residentBytes,
  };
}

/** The first of two also reads the engine's own log of the cuts before. */
async function timeOpen(fixture: StoreFixture): Promise<number> {
  const start = performance.now();
  const store = await fixture.open();
  const millis = performance.now() - start;
  await store.close();
  return millis;
}

async function timeKilled(fixture: StoreFixture, directory: string): Promise<number> {
  const start = performance.now();
  const store = await fixture.open(directory);
  const millis = performance.now() - start;
  const { areTreesRestored } = store;
  await store.close();
  rmSync(directory, { recursive: true });
  if (!areTreesRestored && fixture.outputs >= OUTPUTS) throw new Error('the trees were built');
  return millis;
}

async function timeScan({ keyValues }: LedgerStore): Promise<number> {
  const start = performance.now();
  for await (const records of keyValues.scan(OUTPUT_BUCKETS)) void records;
  return performance.now() - start;
}

/** Counts the pairs that the store writes. */
class WriteCounter {
  pairs = 0;

  constructor(store: LedgerStore) {
    const { keyValues } = store;
    const begin = keyValues.batch.bind(keyValues);
    keyValues.batch = () => {
      this.pairs = 0;
      return this.#counting(begin());
    };
  }

  #counting(batch: WriteBatch): WriteBatch {
    const put = batch.put.bind(batch);
    const remove = batch.delete.bind(batch);
    batch.put = (key, value) => {
      this.pairs++;
      put(key, value);
    };
    batch.delete = (key) => {
      this.pairs++;
      remove(key);
    };
    return batch;
  }
}

/** Milliseconds of reading ahead, and from the decision on: applying, committing until it is on the disk. */
async function timeCut(
  store: LedgerStore,
  fixture: StoreFixture,
  height: number,
): Promise<{ cut: number; read: number }> {
  const input = fixture.nextCut(height);
  const { chainId, head } = store;
  const reading = performance.now();
  await store.prepare(input);
  const start = performance.now();
  const result = applyCut(fixture.ports(store), store.view, input);
  const commit = commitOf(input, result, { chainId, parentCutId: head?.cutId ?? '' });
  await store.commit(commit);
  const cut = performance.now() - start;
  const finalized = result.events.outcomes.filter(({ kind }) => kind === 'finalized').length;
  if (height > 1 && finalized !== PAYMENTS_PER_CUT) throw new Error(`${finalized} payments`);
  return { cut, read: start - reading };
}

async function timePeer(peer: Peer, pairs: number): Promise<number> {
  const bytes = new Uint8Array(pairs * (RAW_KEY_BYTES + RAW_VALUE_BYTES));
  for (let at = 0; at < bytes.length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  }
  const start = performance.now();
  const operations = Array.from({ length: pairs }, (_, index) => {
    const at = index * (RAW_KEY_BYTES + RAW_VALUE_BYTES);
    const key = bytes.subarray(at, at + RAW_KEY_BYTES);
    const value = bytes.subarray(at + RAW_KEY_BYTES, at + RAW_KEY_BYTES + RAW_VALUE_BYTES);
    return { type: 'put' as const, key, value };
  });
  await peer.batch(operations, { sync: true });
  return performance.now() - start;
}

function least(values: readonly number[]): number {
  return Math.min(...values);
}

function describe(values: readonly number[]): string {
  const median = values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  return `${least(values).toFixed(0)} ms least, ${median.toFixed(0)} ms median`;
}

function rowsOf(measured: Measured): Row[] {
  return [...cutRows(measured), ...openRows(measured), ...memoryRows(measured)];
}

function cutRows({ outputs, cutMillis, readMillis, peerMillis, pairs }: Measured): Row[] {
  const cut = least(cutMillis);
  const together = sums(cutMillis, readMillis);
  return [
    {
      name: `storage::cut/outputs=${outputs}`,
      ours: `${describe(cutMillis)} (${PAYMENTS_PER_CUT} payments, ${pairs} pairs); reading ahead ${describe(readMillis)}`,
      peer: `${describe(peerMillis)} (as many raw pairs to classic-level)`,
      ratio: least(peerMillis) / cut,
      limit: 1 / PEER_TIMES_MAX,
    },
    {
      name: `storage::cut-with-reading/outputs=${outputs}`,
      ours: `${describe(together)} with reading ahead; the cut alone ${describe(cutMillis)}`,
      peer: `${describe(peerMillis)} (as many raw pairs to classic-level)`,
      ratio: least(peerMillis) / least(together),
      limit: 1 / PEER_TIMES_WITH_READING_MAX,
    },
    {
      name: `storage::cut-wall/outputs=${outputs}`,
      ours: describe(cutMillis),
      peer: `${WALL_MILLIS_MAX} ms allowed`,
      ratio: WALL_MILLIS_MAX / cut,
      limit: 1,
    },
  ];
}

function openRows(measured: Measured): Row[] {
  const { outputs, openMillis, scanMillis, reopenMillis, killedMillis } = measured;
  const saved = `${reopenMillis.toFixed(0)} ms, trees as they were saved`;
  const scan = `${scanMillis.toFixed(0)} ms (a bare scan of the buckets)`;
  return [
    {
      name: `storage::open/outputs=${outputs}`,
      ours: `${openMillis.toFixed(0)} ms, every tree rebuilt and checked`,
      peer: scan,
      ratio: scanMillis / openMillis,
      limit: 1 / OPEN_TIMES_MAX,
    },
    {
      name: `storage::open-saved/outputs=${outputs}`,
      ours: saved,
      peer: scan,
      ratio: scanMillis / reopenMillis,
      limit: 1,
    },
    {
      name: `storage::open-saved-wall/outputs=${outputs}`,
      ours: saved,
      peer: `${OPEN_SAVED_MILLIS_MAX} ms allowed, at ten million outputs too`,
      ratio: OPEN_SAVED_MILLIS_MAX / reopenMillis,
      limit: 1,
    },
    {
      name: `storage::open-killed-wall/outputs=${outputs}`,
      ours: `${killedMillis.toFixed(0)} ms, as a kill after the last cut leaves it`,
      peer: `${OPEN_SAVED_MILLIS_MAX} ms allowed, at ten million outputs too`,
      ratio: OPEN_SAVED_MILLIS_MAX / killedMillis,
      limit: 1,
    },
  ];
}

function memoryRows({ outputs, outputsAfter, tableBytes, residentBytes }: Measured): Row[] {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  const allowed = TABLE_BYTES_PER_OUTPUT_MAX * outputsAfter;
  return [
    {
      name: `storage::memory/outputs=${outputs}`,
      ours: `${megabytes(tableBytes)} of tables`,
      peer: `${megabytes(allowed)} allowed`,
      ratio: allowed / tableBytes,
      limit: 1,
    },
    {
      name: `storage::resident/outputs=${outputs}`,
      ours: `${megabytes(residentBytes)} in all, with the peer and what the fixture left behind`,
      peer: `${megabytes(RESIDENT_BYTES_MAX)} allowed, at ten million outputs too`,
      ratio: RESIDENT_BYTES_MAX / residentBytes,
      limit: 1,
    },
  ];
}

function sums(values: readonly number[], others: readonly number[]): number[] {
  return values.map((value, at) => value + (others[at] ?? 0));
}

function growthRow(small: Measured, large: Measured): Row {
  const [smallTogether, largeTogether] = [small, large].map(({ cutMillis, readMillis }) =>
    least(sums(cutMillis, readMillis)),
  ) as [number, number];
  return {
    name: `storage::cut-growth/outputs=${small.outputs}..${large.outputs}`,
    ours: `${describe(large.cutMillis)}; with reading ahead ${(largeTogether / smallTogether).toFixed(2)} times as long`,
    peer: `${describe(small.cutMillis)}; at most ${GROWTH_MAX} times that`,
    ratio: (GROWTH_MAX * least(small.cutMillis)) / least(large.cutMillis),
    limit: 1,
  };
}
