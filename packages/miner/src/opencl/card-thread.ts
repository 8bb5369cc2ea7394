/**
 * The thread of one card. It makes the caches that datasets are made from and that finds are checked with, keeps as
 * many datasets on the card as fit (two at most: this period's and the next one's), and has two batches under way.
 */
import { randomInt } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import { type PowKey, serveOrders } from 'svc-mining/pow';
import { init } from 'svc-wasm';
import { equalBytes, toHex } from 'svc-wasm/base';
import { pow } from 'svc-wasm/kernel';
import type { DeviceResult, DeviceSearch } from '../devices/device.ts';
import { Card, type CardDataset, type PendingSearch } from './card.ts';
import { confirmFinds } from './confirm-finds.ts';
import { listOpenClDevices } from './list-devices.ts';
import { midstateOf } from './midstate.ts';
import { loadOpenCl } from './opencl-library.ts';

export interface CardThreadData {
  /** The place of the device in the list of this machine. */
  readonly index: number;
  /** One number: items of the dataset in progress that are made, in thousandths of all. */
  readonly progress: SharedArrayBuffer;
}

export type CardOrder =
  | { readonly type: 'prepare' | 'prepareAhead'; readonly key: PowKey }
  | { readonly type: 'search'; readonly search: DeviceSearch }
  | { readonly type: 'measureCopy'; readonly bytes: number; readonly times: number }
  | { readonly type: 'close' };

interface Prepared {
  readonly cache: pow.PowCache;
  readonly dataset: CardDataset;
}

interface Waiting {
  readonly search: DeviceSearch;
  readonly pending: PendingSearch;
  readonly resolve: (result: DeviceResult) => void;
  readonly reject: (error: unknown) => void;
}

const ITEM_BYTES = 64;
/** Items of a fresh dataset that are compared with the cache. */
const SAMPLES = 256;
/** What a card keeps free beside datasets. */
const SPARE_BYTES = 256 << 20;
const DATASETS_MAX = 2;
const UNDER_WAY_MAX = 2;

await init();
const { index, progress } = workerData as CardThreadData;
const cl = loadOpenCl();
const device = cl === undefined ? undefined : listOpenClDevices(cl)[index];
if (cl === undefined || device === undefined) throw new Error(`OpenCL device ${index} is gone`);
const { memoryBytes } = device;
const card = new Card(cl, device);
const prepared = new Map<string, Prepared>();
const waiting: Waiting[] = [];
const done = new Int32Array(progress);

serveOrders((order: CardOrder): unknown => {
  switch (order.type) {
    case 'prepare':
      prepare(order.key);
      return true;
    case 'prepareAhead':
      if (roomFor(order.key) < DATASETS_MAX) return false;
      prepare(order.key);
      return true;
    case 'search':
      return search(order.search);
    case 'measureCopy':
      return measureCopy(order.bytes, order.times);
    default:
      while (waiting.length > 0) endOldest();
      card.close();
      return true;
  }
});

function prepare(key: PowKey): void {
  const name = toHex(key.seed);
  if (prepared.has(name)) return;
  makeRoom(roomFor(key));
  const cache = pow.makeCache(key.seed, key.cacheBytes);
  const dataset = card.makeDataset(cache.cache, key, (made, total) =>
    Atomics.store(done, 0, Math.floor((1_000 * made) / total)),
  );
  prepared.set(name, { cache, dataset });
  for (let sample = 0; sample < SAMPLES; sample++) {
    const item = randomInt(key.datasetBytes / ITEM_BYTES);
    if (equalBytes(card.readItem(dataset, item), pow.datasetItem(cache, item))) continue;
    prepared.delete(name);
    card.freeDataset(dataset);
    throw new Error(`the card made item ${item} of the dataset wrong`);
  }
}

/** How many datasets the card keeps. */
function roomFor({ datasetBytes }: PowKey): number {
  const fits = Math.floor((memoryBytes - SPARE_BYTES) / datasetBytes);
  return Math.max(1, Math.min(DATASETS_MAX, fits));
}

/** Frees the oldest datasets until one more fits; what is under way with them ends first. */
function makeRoom(room: number): void {
  for (const [name, { dataset }] of prepared) {
    if (prepared.size < room) return;
    while (waiting.length > 0) endOldest();
    card.freeDataset(dataset);
    prepared.delete(name);
  }
}

function search(wanted: DeviceSearch): Promise<DeviceResult> {
  const ready = prepared.get(toHex(wanted.key.seed));
  if (ready === undefined) throw new Error(`the dataset of period ${wanted.period} is not ready`);
  if (waiting.length === UNDER_WAY_MAX) endOldest();
  const { header, start, count, target } = wanted;
  const targetTop = new DataView(target.buffer, target.byteOffset).getBigUint64(0);
  const pending = card.begin(ready.dataset, {
    midstate: midstateOf(header),
    start,
    count,
    targetTop,
  });
  return new Promise((resolve, reject) => {
    waiting.push({ search: wanted, pending, resolve, reject });
    // Orders that have come meanwhile are given to the card before this thread waits for it.
    setImmediate(() => {
      if (waiting[0]?.pending === pending) endOldest();
    });
  });
}

function endOldest(): void {
  const oldest = waiting.shift();
  if (oldest === undefined) return;
  try {
    const cache = prepared.get(toHex(oldest.search.key.seed))?.cache;
    if (cache === undefined) throw new Error('the dataset of a search was freed before its end');
    oldest.resolve(confirmFinds(oldest.search, card.end(oldest.pending), cache));
  } catch (error) {
    oldest.reject(error);
  }
}

/** Bytes that the card reads and writes in a second while it copies its own memory. */
function measureCopy(bytes: number, times: number): number {
  card.copyWithin(bytes, 1);
  const began = performance.now();
  card.copyWithin(bytes, times);
  return (2 * bytes * times) / ((performance.now() - began) / 1_000);
}
