/**
 * How fast threads make dataset items together, on one shared memory. This file is also the program of these threads.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { askForDatasetPages } from 'svc-mining/pow';
import { attachSharedPow, createSharedPow, pow } from 'svc-wasm/kernel';

const ITEM_BYTES = 64;
const KERNEL = fileURLToPath(import.meta.resolve('svc-wasm/svc.pow.wasm'));

interface FillerData {
  readonly memory: WebAssembly.Memory;
  readonly module: WebAssembly.Module;
  readonly thread: number;
}

interface Part {
  readonly from: number;
  readonly to: number;
}

export class SharedFill {
  readonly #workers: Worker[] = [];
  #next = 0;

  constructor(cacheBytes: number, items: number, threads: number) {
    const module = new WebAssembly.Module(readFileSync(KERNEL));
    const memory = createSharedPow({ module, cacheBytes, datasetBytes: items * ITEM_BYTES });
    askForDatasetPages(memory.buffer);
    pow.fillCache(attachSharedPow(memory, module, 0), new Uint8Array(32));
    for (let thread = 1; thread <= threads; thread++) {
      const data: FillerData = { memory, module, thread };
      this.#workers.push(new Worker(new URL(import.meta.url), { workerData: data }));
    }
  }

  /** Nanoseconds for each of `items` fresh items, made by the first `threads` threads. */
  async sample(threads: number, items: number): Promise<number> {
    const share = Math.ceil(items / threads);
    const started = process.hrtime.bigint();
    await Promise.all(
      this.#workers.slice(0, threads).map((worker) => {
        const part: Part = { from: this.#next, to: this.#next + share };
        this.#next += share;
        worker.postMessage(part);
        return once(worker, 'message');
      }),
    );
    return Number(process.hrtime.bigint() - started) / (share * threads);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

/** Fills the parts that the main thread names. */
function fillParts({ memory, module, thread }: FillerData): void {
  const dataset = attachSharedPow(memory, module, thread);
  parentPort?.on('message', ({ from, to }: Part) => {
    pow.fillDataset(dataset, from, to);
    parentPort?.postMessage('done');
  });
}

if (!isMainThread) fillParts(workerData as FillerData);
