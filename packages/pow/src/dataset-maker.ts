/**
 * Gets one dataset into shared memory: from its file if that is whole, else made by several threads and then
 * saved. A dataset that cannot be saved serves all the same; it has to be made again after a restart.
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock, Log } from 'svc-base/pure';
import { createSharedPow } from 'svc-wasm/kernel';
import type { DatasetOrder, DatasetThreadData } from './dataset-thread.ts';
import { compileSharedModule } from './pow-modules.ts';
import type { PowKey } from './pow-periods.ts';
import { ProgressLog } from './progress-log.ts';
import { Thread } from './thread.ts';

const SCRIPT = new URL('./dataset-thread.ts', import.meta.url);
const ITEM_BYTES = 64;
/** Items that a thread makes between two reports: a fraction of a second. */
const ITEMS_PER_ORDER = 65_536;
/** Places in the memory up to this one belong to whoever hashes. */
const FIRST_PLACE = 1;

export interface DatasetRequest {
  readonly key: PowKey;
  readonly period: number;
  readonly path: string;
  readonly threads: number;
  readonly isBackground: boolean;
  readonly onProgress: (fraction: number) => void;
}

export interface SharedDataset {
  readonly period: number;
  readonly memory: WebAssembly.Memory;
  readonly module: WebAssembly.Module;
  /** Whether it came from the disk. */
  readonly isLoaded: boolean;
}

export class DatasetMaker {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #log: Log;
  readonly #threads = new Set<Thread<DatasetOrder>>();
  #isClosed = false;

  constructor(clock: Pick<Clock, 'now'>, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  async make(request: DatasetRequest): Promise<SharedDataset> {
    const { key, period, isBackground } = request;
    const module = await compileSharedModule();
    const { cacheBytes, datasetBytes } = key;
    const memory = createSharedPow({ module, cacheBytes, datasetBytes });
    const start = (thread: number) => this.#start({ memory, module, thread, isBackground });
    const first = start(FIRST_PLACE);
    const others: Thread<DatasetOrder>[] = [];
    try {
      await first.ask({ type: 'cache', key });
      const isLoaded = await this.#load(first, request);
      if (!isLoaded) {
        for (let place = 1; place < request.threads; place++)
          others.push(start(FIRST_PLACE + place));
        await this.#fill([first, ...others], request);
        await this.#save(first, request);
      }
      return { period, memory, module, isLoaded };
    } finally {
      for (const thread of [first, ...others]) await this.#stop(thread);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads].map((thread) => this.#stop(thread)));
  }

  #start(data: DatasetThreadData): Thread<DatasetOrder> {
    if (this.#isClosed) throw new Error('the proof of work is closed');
    const thread = new Thread<DatasetOrder>(SCRIPT, data);
    this.#threads.add(thread);
    return thread;
  }

  async #stop(thread: Thread<DatasetOrder>): Promise<void> {
    this.#threads.delete(thread);
    await thread.close();
  }

  async #fill(threads: readonly Thread<DatasetOrder>[], request: DatasetRequest): Promise<void> {
    const items = request.key.datasetBytes / ITEM_BYTES;
    const progress = new ProgressLog(this.#clock, this.#log, request.period);
    let next = 0;
    let done = 0;
    await Promise.all(
      threads.map(async (thread) => {
        while (next < items) {
          const from = next;
          const to = Math.min(from + ITEMS_PER_ORDER, items);
          next = to;
          await thread.ask({ type: 'fill', from, to });
          done += to - from;
          progress.note(done / items);
          request.onProgress(done / items);
        }
      }),
    );
  }

  async #load(thread: Thread<DatasetOrder>, request: DatasetRequest): Promise<boolean> {
    const { key, path } = request;
    try {
      return await thread.ask<boolean>({ type: 'load', key, path });
    } catch (error) {
      this.#warn(request, error, 'the proof-of-work dataset could not be read');
      return false;
    }
  }

  async #save(thread: Thread<DatasetOrder>, request: DatasetRequest): Promise<void> {
    const { key, path } = request;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await thread.ask({ type: 'save', key, path });
    } catch (error) {
      this.#warn(request, error, 'the proof-of-work dataset could not be saved');
    }
  }

  #warn({ period }: DatasetRequest, error: unknown, message: string): void {
    if (this.#isClosed) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    this.#log.warn({ period, reason }, message);
  }
}
