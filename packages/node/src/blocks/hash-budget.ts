/**
 * The number of hashes that may fail: of one source, and of all sources together. A hash is charged before it
 * is made, and paid back if the work holds, so a source that brings real work never runs out.
 */
import type { Clock } from 'svc-base/pure';

export interface BudgetLimits {
  readonly most: number;
  readonly perSecond: number;
}

/** The mining listener of this machine: it pays for itself, and strangers cannot spend what it needs. */
export const LOCAL_SOURCE = 'local';

const SOURCE_LIMITS: BudgetLimits = { most: 64, perSecond: 16 };
const COMMON_LIMITS: BudgetLimits = { most: 512, perSecond: 128 };
const SOURCES_MAX = 1_024;

class Bucket {
  readonly #limits: BudgetLimits;
  #left: number;
  #at: number;

  constructor(limits: BudgetLimits, now: number) {
    this.#limits = limits;
    this.#left = limits.most;
    this.#at = now;
  }

  left(now: number): number {
    const { most, perSecond } = this.#limits;
    const earned = (Math.max(0, now - this.#at) * perSecond) / 1_000;
    this.#left = Math.min(most, this.#left + earned);
    this.#at = now;
    return this.#left;
  }

  change(by: number): void {
    this.#left += by;
  }
}

export class HashBudget {
  readonly #clock: Clock;
  readonly #common: Bucket;
  readonly #sourceLimits: BudgetLimits;
  readonly #sources = new Map<string, Bucket>();

  constructor(clock: Clock, source: BudgetLimits = SOURCE_LIMITS, common = COMMON_LIMITS) {
    this.#clock = clock;
    this.#sourceLimits = source;
    this.#common = new Bucket(common, clock.monotonic());
  }

  /** Charges a hash to a source; false if the source or all together have spent their budget. */
  charge(source: string): boolean {
    const now = this.#clock.monotonic();
    const buckets = this.#bucketsOf(source, now);
    if (buckets.some((bucket) => bucket.left(now) < 1)) return false;
    for (const bucket of buckets) bucket.change(-1);
    return true;
  }

  giveBack(source: string): void {
    for (const bucket of this.#bucketsOf(source, this.#clock.monotonic())) bucket.change(1);
  }

  #bucketsOf(source: string, now: number): Bucket[] {
    const own = this.#sources.get(source) ?? new Bucket(this.#sourceLimits, now);
    this.#sources.delete(source);
    this.#sources.set(source, own);
    for (const oldest of this.#sources.keys())
      if (this.#sources.size > SOURCES_MAX) this.#sources.delete(oldest);
      else break;
    return source === LOCAL_SOURCE ? [own] : [own, this.#common];
  }
}
