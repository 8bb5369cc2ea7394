/**
 * A worker thread that makes parts of a dataset in shared memory, and saves or loads the whole of it.
 */
import { randomInt } from 'node:crypto';
import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { equalBytes } from 'svc-wasm/base';
import { attachSharedPow, pow } from 'svc-wasm/kernel';
import { loadDataset, saveDataset } from './dataset-file.ts';
import type { PowKey } from './pow-periods.ts';
import { serveOrders } from './serve-orders.ts';

export interface DatasetThreadData {
  readonly memory: WebAssembly.Memory;
  readonly module: WebAssembly.Module;
  readonly thread: number;
  readonly isBackground: boolean;
}

export type DatasetOrder =
  | { readonly type: 'cache'; readonly key: PowKey }
  | { readonly type: 'fill'; readonly from: number; readonly to: number }
  | { readonly type: 'save' | 'load'; readonly key: PowKey; readonly path: string };

const LOWEST_PRIORITY = 19;
const ITEM_BYTES = 64;
/** A dataset of which one item in a thousand is wrong passes once in sixty times; checking all would be making it. */
const SAMPLES = 4_096;
const { memory, module, thread, isBackground } = workerData as DatasetThreadData;
// On Linux alone the priority is that of the calling thread; elsewhere it would be the whole process's.
if (isBackground && process.platform === 'linux') setPriority(LOWEST_PRIORITY);
const work = attachSharedPow(memory, module, thread);

serveOrders((order: DatasetOrder): boolean => {
  if (order.type === 'cache') pow.fillCache(work, order.key.seed);
  if (order.type === 'fill') pow.fillDataset(work, order.from, order.to);
  if (order.type === 'save') saveDataset(order.path, order.key, work.dataset);
  if (order.type !== 'load') return true;
  return loadDataset(order.path, order.key, work.dataset) && sampleHolds();
});

/**
 * Whether items of a loaded dataset are those that the cache gives. The checksum of a file shows that it is as it was
 * written, not that an honest program wrote it.
 */
function sampleHolds(): boolean {
  const items = work.dataset.length / ITEM_BYTES;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const index = randomInt(items);
    const loaded = work.dataset.subarray(index * ITEM_BYTES, (index + 1) * ITEM_BYTES);
    if (!equalBytes(pow.datasetItem(work, index), loaded)) return false;
  }
  return true;
}
