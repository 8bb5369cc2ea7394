/**
 * A thread for tests of the shared proof of work: joins the memory it is given, then obeys.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { fillDataset, full, type PowSearch, search } from '../src/kernel/pow.ts';
import { attachSharedPow } from '../src/kernel/pow-threads.ts';

export interface WorkerData {
  readonly memory: WebAssembly.Memory;
  readonly module: WebAssembly.Module;
  readonly thread: number;
}

export type Order =
  | { readonly what: 'fill'; readonly from: number; readonly to: number }
  | { readonly what: 'full'; readonly inputs: readonly Uint8Array[] }
  | { readonly what: 'search'; readonly header: Uint8Array; readonly options: PowSearch };

const { memory, module, thread } = workerData as WorkerData;
const work = attachSharedPow(memory, module, thread);

function obey(order: Order): unknown {
  if (order.what === 'fill') return fillDataset(work, order.from, order.to);
  if (order.what === 'full') return order.inputs.map((input) => full(work, input));
  return search(work, order.header, order.options);
}

parentPort?.on('message', (order: Order) => parentPort?.postMessage(obey(order)));
