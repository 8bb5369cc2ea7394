/**
 * A shared rate limit. While it is used up, callers wait in one queue, ordered by what their name has used recently:
 * many requests under one name get no more than one under another. A caller that leaves the queue has cost nothing.
 */
import { type Clock, type Rate, TokenBucket } from 'svc-base/pure';
import { awaitTurn } from './await-turn.ts';

/** The most names that are counted separately; those that were served longest ago are forgotten first. */
const NAMES_MAX = 1_024;

interface Waiting {
  readonly name: string;
  readonly count: number;
  readonly enter: () => void;
}

export class FairLimit {
  readonly #clock: Clock;
  readonly #bucket: TokenBucket;
  readonly #waiting = new Set<Waiting>();
  /** What each name has used since there was last enough for all. */
  readonly #had = new Map<string, number>();
  /** What the last served name had used before its turn; a new name begins there. */
  #level = 0;
  #cancel: (() => void) | undefined;

  constructor(rate: Rate, clock: Clock) {
    this.#clock = clock;
    this.#bucket = new TokenBucket(rate, clock.monotonic());
  }

  /** Spends without waiting; those in the queue wait for it. */
  spend(count: number): void {
    this.#bucket.spend(count, this.#clock.monotonic());
  }

  /** Undefined if the amount was spent at once; else resolves once it is spent, or rejects when the signal aborts. */
  pass(name: string, count: number, signal: AbortSignal): Promise<void> | undefined {
    signal.throwIfAborted();
    if (this.#waiting.size > 0 || this.#waitMillis > 0) return this.#wait(name, count, signal);
    this.#had.clear();
    this.#level = 0;
    this.#spendOf(name, count);
    return undefined;
  }

  get #waitMillis(): number {
    return this.#bucket.waitMillis(this.#clock.monotonic());
  }

  async #wait(name: string, count: number, signal: AbortSignal): Promise<void> {
    const turn = awaitTurn(signal, (enter) => {
      const waiting = { name, count, enter };
      this.#waiting.add(waiting);
      return () => {
        this.#waiting.delete(waiting);
        if (this.#waiting.size === 0) this.#cancel?.();
      };
    });
    if (this.#waiting.size === 1) this.#goOn();
    return turn;
  }

  #goOn(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const waitMillis = this.#waitMillis;
      if (waitMillis > 0) {
        this.#cancel = this.#clock.after(waitMillis, () => this.#goOn());
        return;
      }
      this.#spendOf(next.name, next.count);
      next.enter();
    }
  }

  /** The first of those that have had the least. */
  #next(): Waiting | undefined {
    let best: Waiting | undefined;
    for (const one of this.#waiting)
      if (best === undefined || this.#hadOf(one.name) < this.#hadOf(best.name)) best = one;
    return best;
  }

  #spendOf(name: string, count: number): void {
    this.#level = this.#hadOf(name);
    this.#had.delete(name);
    this.#had.set(name, this.#level + count);
    const [oldest] = this.#had.keys();
    if (this.#had.size > NAMES_MAX && oldest !== undefined) this.#had.delete(oldest);
    this.spend(count);
  }

  #hadOf(name: string): number {
    return Math.max(this.#level, this.#had.get(name) ?? 0);
  }
}
