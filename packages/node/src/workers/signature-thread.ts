/**
 * One worker thread and the batches that it works on. When the thread dies, its jobs are handed back; the pool
 * of workers starts another thread in its place.
 */
import { Worker } from 'node:worker_threads';
import type { Job } from './job-queue.ts';
import {
  packedBytes,
  packParts,
  type WorkerReply,
  type WorkerRequest,
  type WorkerSettings,
} from './thread-messages.ts';

export interface ThreadEvents {
  /** Called when the thread has room for another batch. */
  readonly onFree: () => void;
  /** Called when the thread died: it worked on the suspects, and had not begun the others. */
  readonly onDeath: (suspects: readonly Job[], others: readonly Job[], error: Error) => void;
}

type Done = Extract<WorkerReply, { type: 'done' }>;

/** The bytes of a buffer that has room for a full batch. */
const BUFFER_BYTES = 144 << 10;

export class SignatureThread {
  readonly #worker: Worker;
  readonly #events: ThreadEvents;
  readonly #batches: (readonly Job[])[] = [];
  readonly #spares: ArrayBuffer[] = [];
  #isReady = false;
  #isGone = false;

  constructor(program: URL, settings: WorkerSettings, events: ThreadEvents) {
    this.#events = events;
    this.#worker = new Worker(program, { workerData: settings });
    this.#worker.on('message', (reply: WorkerReply) => this.#receive(reply));
    this.#worker.on('messageerror', (error) => this.#die(error));
    this.#worker.on('error', (error) =>
      this.#die(error instanceof Error ? error : new Error(String(error))),
    );
    this.#worker.on('exit', (code) => this.#die(new Error(`the thread ended with code ${code}`)));
  }

  get wasReady(): boolean {
    return this.#isReady;
  }

  get isReady(): boolean {
    return this.#isReady && !this.#isGone;
  }

  get batches(): number {
    return this.#batches.length;
  }

  /** Sends a batch of jobs of one kind to the thread. */
  send(jobs: readonly Job[]): void {
    const [first] = jobs;
    if (first === undefined) return;
    this.#batches.push(jobs);
    const parts = jobs.flatMap((job) => job.parts);
    const buffer = this.#bufferOf(packedBytes(parts));
    packParts(parts, buffer);
    this.#post({ type: first.kind, parts: buffer }, [buffer]);
  }

  /** A buffer that came back, if it is large enough: fresh memory costs more than filling it. */
  #bufferOf(bytes: number): ArrayBuffer {
    const spare = this.#spares.pop();
    if (spare !== undefined && spare.byteLength >= bytes) return spare;
    return new ArrayBuffer(Math.max(bytes, BUFFER_BYTES));
  }

  learnSet(encoded: Uint8Array): void {
    this.#post({ type: 'set', encoded }, []);
  }

  /** Ends the thread without calling `onDeath`; resolves with the jobs that it had. */
  async end(): Promise<Job[]> {
    this.#isGone = true;
    await this.#worker.terminate();
    return this.#batches.splice(0).flat();
  }

  #post(request: WorkerRequest, transfer: ArrayBuffer[]): void {
    this.#worker.postMessage(request, transfer);
  }

  #receive(reply: WorkerReply): void {
    if (this.#isGone) return;
    if (reply.type === 'ready') this.#isReady = true;
    else this.#finish(this.#batches.shift() ?? [], reply);
    this.#events.onFree();
  }

  #finish(jobs: readonly Job[], { refused, parts }: Done): void {
    if (parts.byteLength === BUFFER_BYTES) this.#spares.push(parts);
    const refusals = new Map(refused.map(({ index, ...refusal }) => [index, refusal]));
    for (const [index, job] of jobs.entries()) job.resolve(refusals.get(index) ?? null);
  }

  #die(error: Error): void {
    if (this.#isGone) return;
    this.#isGone = true;
    void this.#worker.terminate();
    const [suspects = [], ...others] = this.#batches.splice(0);
    this.#events.onDeath(suspects, others.flat(), error);
  }
}
