/**
 * One worker thread and the batches it has in hand. When the thread dies, its jobs are handed back; starting
 * another in its place is the pool's affair.
 */
import { Worker } from 'node:worker_threads';
import type { Job } from './job-queue.ts';
import { packedBytes, packParts } from './parts.ts';
import type { WorkerReply, WorkerRequest, WorkerSettings } from './thread-messages.ts';

export interface ThreadEvents {
  /** It can take another batch. */
  readonly onFree: () => void;
  /** It is gone: it was at the suspects, and had not come to the others. */
  readonly onDeath: (suspects: readonly Job[], others: readonly Job[], error: Error) => void;
}

type Done = Extract<WorkerReply, { type: 'done' }>;

/** Room for a full batch. */
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

  run(jobs: readonly Job[]): void {
    const [first] = jobs;
    if (first === undefined) return;
    this.#batches.push(jobs);
    const parts = jobs.flatMap((job) => job.parts);
    const buffer = this.#bufferOf(packedBytes(parts));
    packParts(parts, buffer);
    this.#post({ type: first.kind, parts: buffer }, [buffer]);
  }

  /** One that came back if it is large enough: fresh memory costs more than what is written to it. */
  #bufferOf(bytes: number): ArrayBuffer {
    const spare = this.#spares.pop();
    if (spare !== undefined && spare.byteLength >= bytes) return spare;
    return new ArrayBuffer(Math.max(bytes, BUFFER_BYTES));
  }

  learnSet(encoded: Uint8Array): void {
    this.#post({ type: 'set', encoded }, []);
  }

  /** Ends the thread without a word of its death; the jobs it had are handed back. */
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
