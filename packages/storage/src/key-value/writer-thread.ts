/**
 * The thread that writes batches of many records, such as a node has that catches up: putting each of them into the engine's
 * batch, with its checksum, takes the main thread longer than copying them all. It starts with the first batch and shares
 * the engine with the thread that opened it. Must not be asked for two writes at once.
 */
import { Worker } from 'node:worker_threads';
import type { WriteOperation, WriteOptions } from './key-value-store.ts';
import type { PackedRecords } from './packed-records.ts';

const PROGRAM = new URL('./writer-worker.ts', import.meta.url);

export interface WriterSettings {
  /** As the engine was opened with: it is found by this very text. */
  readonly location: string;
}

/** A batch, or null for the end of the thread. */
export type WriterRequest = {
  readonly records: Omit<PackedRecords, 'giveBack'>;
  readonly others: readonly WriteOperation[];
  readonly sync: boolean;
} | null;

export interface WriterReply {
  /** Why the batch was not written, or null. */
  readonly failure: string | null;
  /** The memory of its records. */
  readonly memory: ArrayBuffer;
}

export class WriterThread {
  readonly #location: string;
  #worker: Worker | undefined;
  #writing: PromiseWithResolvers<ArrayBuffer> | undefined;

  constructor(location: string) {
    this.#location = location;
  }

  /** Writes the records and then the others, all or nothing; the memory of the records is gone afterwards, or given back. */
  async write(
    { giveBack, ...records }: PackedRecords,
    others: readonly WriteOperation[],
    { sync }: WriteOptions,
  ): Promise<void> {
    if (this.#writing !== undefined) throw new Error('another batch is being written');
    this.#worker ??= this.#start();
    this.#writing = Promise.withResolvers<ArrayBuffer>();
    this.#post({ records, others, sync }, [records.bytes.buffer, records.words.buffer]);
    this.#worker.ref();
    try {
      giveBack?.(await this.#writing.promise);
    } finally {
      this.#writing = undefined;
      this.#worker?.unref();
    }
  }

  /** Ends the thread once it has written everything. */
  async close(): Promise<void> {
    await this.#writing?.promise.catch(() => {});
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    this.#post(null, []);
    await ended;
  }

  #start(): Worker {
    const workerData: WriterSettings = { location: this.#location };
    const worker = new Worker(PROGRAM, { workerData, name: 'svc-writer' });
    worker.on('message', ({ failure, memory }: WriterReply) => {
      if (failure === null) this.#writing?.resolve(memory);
      else this.#writing?.reject(new Error(failure));
    });
    worker.on('messageerror', (error) => this.#end(error));
    worker.on('error', (error) => this.#end(error));
    worker.on('exit', (code) => this.#end(new Error(`the writing thread ended with code ${code}`)));
    return worker;
  }

  /** A batch that the thread had when it ended may be written or not. */
  #end(error: unknown): void {
    this.#worker = undefined;
    this.#writing?.reject(error);
  }

  #post(request: WriterRequest, transfer: ArrayBuffer[]): void {
    this.#worker?.postMessage(request, transfer);
  }
}
