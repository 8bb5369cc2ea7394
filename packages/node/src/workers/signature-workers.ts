/**
 * Threads that check signatures. Jobs travel in batches; a thread works on one batch and has the next one at
 * hand. A thread that dies is replaced, and the others do its jobs; a job with which two threads died is given up.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Log } from 'svc-base/pure';
import type { SignatureVerdict } from 'svc-consensus/machine';
import { equalBytes } from 'svc-wasm/base';
import type { VerifyRequest } from 'svc-wasm/protocol';
import { type BatchLimits, type Job, JobQueue, PRIORITIES, type Priority } from './job-queue.ts';
import {
  type SignatureChecks,
  WorkerDiedError,
  WorkersBusyError,
  WorkersClosedError,
} from './signature-checks.ts';
import {
  type JobKind,
  packedBytes,
  packParts,
  type SignatureRefusal,
  type WorkerReply,
  type WorkerRequest,
  type WorkerSettings,
} from './thread-messages.ts';

interface ThreadEvents {
  /** Called when the thread has room for another batch. */
  readonly onFree: () => void;
  /** Called when the thread died: it worked on the suspects, and had not begun the others. */
  readonly onDeath: (suspects: readonly Job[], others: readonly Job[], error: Error) => void;
}

type Done = Extract<WorkerReply, { type: 'done' }>;

/** The bytes of a buffer that has room for a full batch. */
const BUFFER_BYTES = 144 << 10;

/**
 * One worker thread and the batches that it works on. When the thread dies, its jobs are handed back; the pool
 * of workers starts another thread in its place.
 */
class SignatureThread {
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

export interface SignatureWorkersOptions {
  readonly manifestJson: string;
  /** The number of threads; one for each core by default. */
  readonly threads?: number;
  /** The bytes of jobs that may wait in each line. */
  readonly lineBytesMax?: number;
  /** The program of a thread. */
  readonly program?: URL;
  readonly log: Log;
  /** Called when no thread can be started: no signature can be checked any more. */
  readonly onFatal: (error: Error) => void;
}

const PROGRAM = new URL('./signature-worker.ts', import.meta.url);
const THREADS_MAX = 32;
const LINE_BYTES_MAX = 32 << 20;
const BATCH: BatchLimits = { jobs: 64, bytes: 128 << 10 };
const BATCHES_PER_THREAD = 2;
/** A second batch is worth its message from this many jobs on. */
const SECOND_BATCH_JOBS = 8;
const JOB_DEATHS_MAX = 2;
const FAILED_STARTS_MAX = 3;
/** The number of validator sets that a verifier keeps. */
const SETS_MAX = 4;
const NO_OWNER = new Uint8Array();

export class SignatureWorkers implements SignatureChecks {
  readonly #options: SignatureWorkersOptions;
  readonly #queue: JobQueue;
  readonly #threads = new Set<SignatureThread>();
  readonly #ready = Promise.withResolvers<void>();
  #sets: Uint8Array[] = [];
  #waiters: { readonly priority: Priority; readonly resolve: () => void }[] = [];
  #failedStarts = 0;
  #isScheduled = false;
  #isClosed = false;

  private constructor(options: SignatureWorkersOptions) {
    this.#options = options;
    this.#queue = new JobQueue(options.lineBytesMax ?? LINE_BYTES_MAX);
    const threads = Math.min(THREADS_MAX, Math.max(1, options.threads ?? availableParallelism()));
    for (let count = 0; count < threads; count++) this.#startThread();
  }

  /** Resolves when the first thread is ready. */
  static async start(options: SignatureWorkersOptions): Promise<SignatureWorkers> {
    const workers = new SignatureWorkers(options);
    await workers.#ready.promise;
    return workers;
  }

  get threads(): number {
    return [...this.#threads].filter(({ isReady }) => isReady).length;
  }

  /** The number of jobs that no thread has yet. */
  get waiting(): number {
    return this.#queue.length;
  }

  hasRoom(priority: Priority): boolean {
    return !this.#isClosed && this.#queue.hasRoom(priority);
  }

  async room(priority: Priority): Promise<void> {
    while (!this.#isClosed && !this.#queue.hasRoom(priority)) {
      await new Promise<void>((resolve) => this.#waiters.push({ priority, resolve }));
    }
  }

  checkTransaction(request: VerifyRequest, priority: Priority): Promise<SignatureRefusal | null> {
    const { wire, previousOutputs, owner, registeredKeys } = request;
    const parts = [wire, previousOutputs, owner ?? NO_OWNER, registeredKeys];
    return this.#enqueue('transactions', priority, parts);
  }

  async checkMessages(messages: readonly Uint8Array[]): Promise<SignatureVerdict[]> {
    const refusals = await Promise.all(
      messages.map((message) => this.#enqueue('messages', 'consensus', [message])),
    );
    return refusals.map((refusal) =>
      refusal === null ? { holds: true } : { holds: false, code: refusal.code },
    );
  }

  /** Tells every thread a validator set, whose members' messages can then be checked. */
  learnSet(encoded: Uint8Array): void {
    if (this.#sets.some((known) => equalBytes(known, encoded))) return;
    const copy = encoded.slice();
    this.#sets = [...this.#sets, copy].slice(-SETS_MAX);
    for (const thread of this.#threads) thread.learnSet(copy);
  }

  /** Ends all threads; jobs without an answer are rejected. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#ready.promise.catch(() => {});
    this.#ready.reject(new WorkersClosedError('the workers are closed'));
    const unfinished = await Promise.all([...this.#threads].map((thread) => thread.end()));
    this.#threads.clear();
    const error = new WorkersClosedError('the workers are closed');
    for (const job of [...unfinished.flat(), ...this.#queue.takeAll()]) job.reject(error);
    this.#tellWaiters();
  }

  #enqueue(
    kind: JobKind,
    priority: Priority,
    parts: readonly Uint8Array[],
  ): Promise<SignatureRefusal | null> {
    if (this.#isClosed) return Promise.reject(new WorkersClosedError('the workers are closed'));
    if (!this.#queue.hasRoom(priority))
      return Promise.reject(new WorkersBusyError(`too many ${priority} signatures wait`));
    return new Promise((resolve, reject) => {
      const bytes = parts.reduce((sum, { length }) => sum + length, 0);
      this.#queue.push({ kind, priority, parts, bytes, deaths: 0, resolve, reject });
      this.#schedule();
    });
  }

  /** Dispatches after the running turn, so that jobs of one turn go together. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    for (let thread = this.#freest(); thread !== undefined; thread = this.#freest()) {
      if (this.#queue.length < (thread.batches === 0 ? 1 : SECOND_BATCH_JOBS)) break;
      thread.send(this.#queue.takeBatch(BATCH));
    }
    this.#tellWaiters();
  }

  #freest(): SignatureThread | undefined {
    let freest: SignatureThread | undefined;
    for (const thread of this.#threads) {
      if (!thread.isReady || thread.batches >= BATCHES_PER_THREAD) continue;
      if (freest === undefined || thread.batches < freest.batches) freest = thread;
    }
    return freest;
  }

  #tellWaiters(): void {
    if (this.#waiters.length === 0) return;
    const free = PRIORITIES.filter((priority) => this.#isClosed || this.#queue.hasRoom(priority));
    const told = this.#waiters.filter(({ priority }) => free.includes(priority));
    this.#waiters = this.#waiters.filter(({ priority }) => !free.includes(priority));
    for (const { resolve } of told) resolve();
  }

  #startThread(): void {
    const { manifestJson, program = PROGRAM } = this.#options;
    const thread: SignatureThread = new SignatureThread(
      program,
      { manifestJson },
      {
        onFree: () => {
          this.#failedStarts = 0;
          this.#ready.resolve();
          this.#schedule();
        },
        onDeath: (suspects, others, error) => this.#replace(thread, suspects, others, error),
      },
    );
    for (const encoded of this.#sets) thread.learnSet(encoded);
    this.#threads.add(thread);
  }

  #replace(
    thread: SignatureThread,
    suspects: readonly Job[],
    others: readonly Job[],
    error: Error,
  ): void {
    this.#threads.delete(thread);
    this.#options.log.warn(
      { error: error.message, jobs: suspects.length },
      'a signature worker died',
    );
    for (const job of suspects) job.deaths++;
    const lost = suspects.filter(({ deaths }) => deaths >= JOB_DEATHS_MAX);
    for (const job of lost) job.reject(new WorkerDiedError(`workers died: ${error.message}`));
    this.#queue.putBack([...suspects.filter((job) => !lost.includes(job)), ...others]);
    if (!thread.wasReady && ++this.#failedStarts >= FAILED_STARTS_MAX) {
      this.#giveUp(new WorkerDiedError(`no signature worker can be started: ${error.message}`));
      return;
    }
    this.#startThread();
    this.#schedule();
  }

  #giveUp(error: Error): void {
    this.#ready.reject(error);
    void this.close();
    this.#options.onFatal(error);
  }
}
