/**
 * A thread that fills parts of a shared dataset, each when it is told to.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { attachSharedPow, pow } from 'svc-wasm/kernel';

export interface FillerData {
  readonly memory: WebAssembly.Memory;
  readonly module: WebAssembly.Module;
  readonly thread: number;
}

export interface Part {
  readonly from: number;
  readonly to: number;
}

const { memory, module, thread } = workerData as FillerData;
const dataset = attachSharedPow(memory, module, thread);

parentPort?.on('message', ({ from, to }: Part) => {
  pow.fillDataset(dataset, from, to);
  parentPort?.postMessage('done');
});
