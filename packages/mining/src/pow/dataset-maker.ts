/**
 * Gets one dataset into shared memory: from its file if that is whole, else made by several threads and then saved. Of
 * several programs that want the same file one makes it and the others wait for it. A dataset that cannot be saved is
 * still used; it has to be made again after a restart.
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, type Log, sleep } from 'svc-base/pure';
import { createSharedPow } from 'svc-wasm/kernel';
import { DatasetLock } from './dataset-lock.ts';
import { askForDatasetPages } from './dataset-pages.ts';
import type { DatasetOrder, DatasetThreadData } from './dataset-thread.ts';
import { compileSharedModule } from './pow-modules.ts';
import type { PowKey } from './pow-periods.ts';
import { ProgressLog } from './progress-log.ts';
import { Thread } from './thread.ts';

const SCRIPT = new URL('./dataset-thread.ts', import.meta.url);
const ITEM_BYTES = 64;
/** Items that a thread makes between two reports: a fraction of a second. */
const ITEMS_PER_ORDER = 65_536;
/** Offsets in the memory up to this one belong to the hashing threads. */
const FIRST_PLACE = 1;
/** The polling interval while another program makes the dataset. */
const LOOK_MILLIS = 500;
/** A maker without progress for so long is not awaited: it may have been stopped. */
const STALLED_MILLIS = 600_000;

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
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #threads = new Set<Thread<DatasetOrder>>();
  readonly #closing = new AbortController();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  async make(request: DatasetRequest): Promise<SharedDataset> {
    const { key, period, isBackground } = request;
    const module = await compileSharedModule();
    const { cacheBytes, datasetBytes } = key;
    const memory = createSharedPow({ module, cacheBytes, datasetBytes });
    askForDatasetPages(memory.buffer);
    const start = (thread: number) => this.#start({ memory, module, thread, isBackground });
    const threads = [start(FIRST_PLACE)];
    try {
      const [first] = threads as [Thread<DatasetOrder>];
      await first.ask({ type: 'cache', key });
      if (await this.#load(first, request)) return { period, memory, module, isLoaded: true };
      const lock = await this.#lock(request);
      try {
        // Another process may have made it since.
        const isLoaded = lock !== undefined && (await this.#load(first, request));
        if (isLoaded) return { period, memory, module, isLoaded };
        while (threads.length < request.threads) threads.push(start(FIRST_PLACE + threads.length));
        await this.#fill(threads, request, lock);
        await this.#save(first, request);
        return { period, memory, module, isLoaded };
      } finally {
        await lock?.release();
      }
    } finally {
      for (const thread of threads) await this.#stop(thread);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#threads].map((thread) => this.#stop(thread)));
  }

  #start(data: DatasetThreadData): Thread<DatasetOrder> {
    if (this.#closing.signal.aborted) throw new Error('the proof of work is closed');
    const thread = new Thread<DatasetOrder>(SCRIPT, data);
    this.#threads.add(thread);
    return thread;
  }

  async #stop(thread: Thread<DatasetOrder>): Promise<void> {
    this.#threads.delete(thread);
    await thread.close();
  }

  /** Waits while another program makes the dataset; undefined where the dataset is to be made without a lock. */
  async #lock({ path, period, onProgress }: DatasetRequest): Promise<DatasetLock | undefined> {
    const progress = new ProgressLog(this.#clock, this.#log, period);
    let seen = '';
    let seenAt = 0;
    for (;;) {
      const attempt = await DatasetLock.acquire(path);
      if (attempt.type === 'held') return attempt.lock;
      if (attempt.type === 'none') return undefined;
      const { pid, percent } = attempt.holder;
      const now = this.#clock.monotonic();
      if (seen !== `${pid} ${percent}`) {
        seen = `${pid} ${percent}`;
        seenAt = now;
      } else if (now - seenAt >= STALLED_MILLIS) return undefined;
      progress.noteOther(pid, percent);
      onProgress(percent / 100);
      await sleep(this.#clock, LOOK_MILLIS, this.#closing.signal);
      if (this.#closing.signal.aborted) throw new Error('the proof of work is closed');
    }
  }

  async #fill(
    threads: readonly Thread<DatasetOrder>[],
    request: DatasetRequest,
    lock: DatasetLock | undefined,
  ): Promise<void> {
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
          await lock?.tell(done / items);
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
    if (this.#closing.signal.aborted) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    this.#log.warn({ period, reason }, message);
  }
}
