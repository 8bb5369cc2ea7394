/**
 * The number of hashes that may fail: of one source, and of all sources together. A hash is charged before it
 * is made, and paid back if the work holds, so a source that brings real work never runs out.
 */
import { type Clock, type Rate, TokenBucket } from 'svc-base/pure';

/** The mining listener of this machine: it pays for itself, and strangers cannot spend what it needs. */
export const LOCAL_SOURCE = 'local';

const SOURCE_LIMITS: Rate = { burst: 64, perSecond: 16 };
const COMMON_LIMITS: Rate = { burst: 512, perSecond: 128 };
const SOURCES_MAX = 1_024;

export class HashBudget {
  readonly #clock: Clock;
  readonly #common: TokenBucket;
  readonly #sourceLimits: Rate;
  readonly #sources = new Map<string, TokenBucket>();

  constructor(clock: Clock, source: Rate = SOURCE_LIMITS, common = COMMON_LIMITS) {
    this.#clock = clock;
    this.#sourceLimits = source;
    this.#common = new TokenBucket(common, clock.monotonic());
  }

  /** Charges a hash to a source; false if the source or all together have spent their budget. */
  charge(source: string): boolean {
    const now = this.#clock.monotonic();
    const buckets = this.#bucketsOf(source, now);
    if (buckets.some((bucket) => bucket.left(now) < 1)) return false;
    for (const bucket of buckets) bucket.spend(1, now);
    return true;
  }

  giveBack(source: string): void {
    const now = this.#clock.monotonic();
    for (const bucket of this.#bucketsOf(source, now)) bucket.spend(-1, now);
  }

  #bucketsOf(source: string, now: number): TokenBucket[] {
    const own = this.#sources.get(source) ?? new TokenBucket(this.#sourceLimits, now);
    this.#sources.delete(source);
    this.#sources.set(source, own);
    for (const oldest of this.#sources.keys())
      if (this.#sources.size > SOURCES_MAX) this.#sources.delete(oldest);
      else break;
    return source === LOCAL_SOURCE ? [own] : [own, this.#common];
  }
}
