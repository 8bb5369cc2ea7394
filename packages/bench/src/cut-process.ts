/**
 * A fresh process that opens a store, as a node does that starts, and executes full cuts on it. It prints what they took, beside
 * writing as many raw pairs to the same engine, and what it has in memory then.
 */
import { copyFileSync, linkSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClassicLevel } from 'classic-level';
import { letOutsideMemoryGrow } from 'svc-base/node';
import { applyCut } from 'svc-ledger';
import { type LedgerStore, readTablesUnmapped, type WriteBatch } from 'svc-storage';
import { init } from 'svc-wasm';
import { commitOf } from './store-commit.ts';
import { PAYMENTS_PER_CUT, StoreFixture } from './store-fixture.ts';

const RAW_KEY_BYTES = 52;
const RAW_VALUE_BYTES = 70;
const EVERYTHING = { from: new Uint8Array(0), to: new Uint8Array(64).fill(0xff) };
const OUTPUT_BUCKETS = { from: Uint8Array.of(0x20, 1), to: Uint8Array.of(0x20, 2) };

/** Never changed once they are written, and too large to be copied. */
const LINKED = /^(trees|\d+\.ldb)$/;
/** The file that names the holder of the store. */
const HOLDER = 'holder.json';

export interface CutTask {
  /** Has the fixture in `store`; `peer` and `killed`, as a kill after the last cut would leave the store, are made. */
  readonly directory: string;
  readonly outputs: number;
  readonly cuts: number;
  /** The pause between a cut and the raw pairs, and before the next cut. */
  readonly paceMillis: number;
}

export interface CutTimes {
  /** Time from the decision on, cut by cut. */
  readonly cutMillis: readonly number[];
  /** Reading ahead, before it. */
  readonly readMillis: readonly number[];
  readonly peerMillis: readonly number[];
  readonly pairs: number;
  /** With what the cuts have added. */
  readonly outputsAfter: number;
  readonly openMillis: number;
  readonly scanMillis: number;
  readonly tableBytes: number;
  readonly residentBytes: number;
}

type Peer = ClassicLevel<Uint8Array, Uint8Array>;

/** The engine with its plain settings and the store's own sizes. */
const PEER_OPTIONS = {
  keyEncoding: 'view',
  valueEncoding: 'view',
  compression: false,
  writeBufferSize: 64 << 20,
} as const;

async function measure({ directory, outputs, cuts, paceMillis }: CutTask): Promise<CutTimes> {
  const fixture = new StoreFixture(join(directory, 'store'), outputs);
  const peer: Peer = new ClassicLevel(join(directory, 'peer'), PEER_OPTIONS);
  await peer.open();
  const opening = performance.now();
  const store = await fixture.open();
  const openMillis = performance.now() - opening;
  letOutsideMemoryGrow();
  const scanMillis = await timeScan(store);
  for await (const entries of store.keyValues.scan(EVERYTHING)) void entries;
  const counter = new WriteCounter(store);
  const cutMillis: number[] = [];
  const readMillis: number[] = [];
  const peerMillis: number[] = [];
  for (let height = 1; height <= cuts; height++) {
    const next = sleep(paceMillis);
    const { cut, read } = await timeCut(store, fixture, height);
    await next;
    const pause = sleep(paceMillis);
    peerMillis.push(await timePeer(peer, counter.pairs));
    await pause;
    cutMillis.push(cut);
    readMillis.push(read);
  }
  const tableBytes = store.trees.memoryBytes;
  const residentBytes = process.memoryUsage().rss;
  const outputsAfter = store.head?.outputs ?? 0;
  copyAsKilled(fixture.directory, join(directory, 'killed'));
  await store.close();
  await peer.close();
  const { pairs } = counter;
  return {
    ...{ cutMillis, readMillis, peerMillis, pairs, outputsAfter },
    ...{ openMillis, scanMillis, tableBytes, residentBytes },
  };
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

/** A copy of the files of an open store: what a process that is killed now leaves. No cut may be under way. */
function copyAsKilled(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyAsKilled(source, target);
    else if (LINKED.test(entry.name)) linkSync(source, target);
    else if (entry.name !== HOLDER) copyFileSync(source, target);
  }
}

// As a node does.
readTablesUnmapped();
letOutsideMemoryGrow();
await init();
const task = JSON.parse(process.argv[2] ?? '') as CutTask;
process.stdout.write(JSON.stringify(await measure(task)));
