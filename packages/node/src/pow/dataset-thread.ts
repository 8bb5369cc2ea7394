/**
 * A worker thread that makes parts of a dataset in shared memory, and saves or loads the whole of it.
 */
import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
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
const { memory, module, thread, isBackground } = workerData as DatasetThreadData;
// On Linux alone the priority is that of the calling thread; elsewhere it would be the whole process's.
if (isBackground && process.platform === 'linux') setPriority(LOWEST_PRIORITY);
const work = attachSharedPow(memory, module, thread);

serveOrders((order: DatasetOrder): boolean => {
  if (order.type === 'cache') pow.fillCache(work, order.key.seed);
  if (order.type === 'fill') pow.fillDataset(work, order.from, order.to);
  if (order.type === 'save') saveDataset(order.path, order.key, work.dataset);
  return order.type === 'load' ? loadDataset(order.path, order.key, work.dataset) : true;
});
