/**
 * Threads that check signatures. Jobs travel in batches; a thread works on one batch and has the next one at
 * hand. A thread that dies is replaced, and the others do its jobs; a job with which two threads died is given up.
 */
import { availableParallelism } from 'node:os';
import type { Log } from 'svc-base/pure';
import type { SignatureVerdict } from 'svc-consensus/machine';
import { equalBytes } from 'svc-wasm/base';
import type { VerifyRequest } from 'svc-wasm/protocol';
import { WorkerDiedError, WorkersBusyError, WorkersClosedError } from './errors.ts';
import { type BatchLimits, type Job, JobQueue, PRIORITIES, type Priority } from './job-queue.ts';
import type { SignatureChecks } from './signature-checks.ts';
import { SignatureThread } from './signature-thread.ts';
import type { JobKind, SignatureRefusal } from './thread-messages.ts';

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
