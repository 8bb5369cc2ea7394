/**
 * Proof of work with a cache alone, in a thread of its own: every hash makes the part of the dataset that it
 * reads. Enough to check blocks, and to find those of a small network; too slow to mine on a large one.
 */
import { meetsTarget } from 'svc-wasm/kernel';
import type { HashOrder, SearchAnswer } from './hash-thread.ts';
import { compileLightModule } from './pow-modules.ts';
import { type PowPeriods, targetOf } from './pow-periods.ts';
import type { ProofOfWork, WorkVerdict } from './proof-of-work.ts';
import { Thread } from './thread.ts';

const SCRIPT = new URL('./hash-thread.ts', import.meta.url);
/** Headers that wait for their hash; on a large network a hash takes milliseconds. */
const QUEUE_MAX = 512;

/** Too many hashes wait; it may be tried again. */
export class PowBusyError extends Error {
  override readonly name = 'PowBusyError';
}

export async function startHashThread(): Promise<Thread<HashOrder>> {
  return new Thread<HashOrder>(SCRIPT, { module: await compileLightModule() });
}

export class LightPow implements ProofOfWork {
  readonly mode = 'light';
  readonly #periods: PowPeriods;
  readonly #queueMax: number;
  #thread: Promise<Thread<HashOrder>> | undefined;
  /** The last order, so that most cuts need no new one. */
  #prepared: { readonly thread: Thread<HashOrder>; readonly next: number } | undefined;
  #waiting = 0;
  #isClosed = false;

  constructor(periods: PowPeriods, queueMax: number = QUEUE_MAX) {
    this.#periods = periods;
    this.#queueMax = queueMax;
  }

  /** Hashes under way or waiting for the thread. */
  get waiting(): number {
    return this.#waiting;
  }

  async check(header: Uint8Array): Promise<WorkVerdict> {
    const key = this.#periods.keyOf(this.#periods.ofHeader(header));
    if (this.#waiting >= this.#queueMax)
      throw new PowBusyError(`${this.#waiting} hashes are waiting already`);
    this.#waiting++;
    try {
      const thread = await this.#running();
      const result = await thread.ask<Uint8Array>({ type: 'hash', key, header });
      return { holds: meetsTarget(result, targetOf(header)), result };
    } finally {
      this.#waiting--;
    }
  }

  /** Tries `count` nonces from `start` on against the target that the header names. Checks wait for it meanwhile. */
  async search(header: Uint8Array, start: bigint, count: number): Promise<SearchAnswer> {
    const key = this.#periods.keyOf(this.#periods.ofHeader(header));
    const thread = await this.#running();
    const range = { header, start, count, target: targetOf(header) };
    return thread.ask<SearchAnswer>({ type: 'search', key, range });
  }

  /** Resolves without a cache when it is closed meanwhile. */
  async prepare(height: number): Promise<void> {
    const periods = this.#periods;
    const next = periods.ofHeight(height + periods.aheadCuts);
    const current = periods.ofHeight(height);
    try {
      const thread = await this.#running();
      if (this.#prepared?.thread === thread && this.#prepared.next === next) return;
      for (const period of new Set([next, current]))
        await thread.ask({ type: 'prepare', key: periods.keyOf(period) });
      this.#prepared = { thread, next };
    } catch (error) {
      if (!this.#isClosed) throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#thread)?.close();
  }

  /** The thread, started at the first need and again after a failure. */
  async #running(): Promise<Thread<HashOrder>> {
    if (this.#isClosed) throw new Error('the proof of work is closed');
    this.#thread ??= startHashThread();
    const thread = await this.#thread;
    if (thread.isAlive) return thread;
    this.#thread = undefined;
    return this.#running();
  }
}
