/**
 * How often something may happen: so many at once, and so many a second in the long run. Whole numbers; time is
 * a parameter. A clock that goes back changes nothing.
 */
export interface RateLimitOptions {
  readonly perSecond: number;
  /** How many at once after a pause. */
  readonly burst: number;
}

/** Parts of one event, so that milliseconds give whole numbers of them. */
const PARTS = 1_000;

export class RateLimit {
  readonly #options: RateLimitOptions;
  #parts: number;
  #at: number;

  constructor(options: RateLimitOptions, nowMillis: number) {
    this.#options = options;
    this.#parts = options.burst * PARTS;
    this.#at = nowMillis;
  }

  /** Whether one more may happen now; if so, it is counted. */
  admit(nowMillis: number): boolean {
    const { perSecond, burst } = this.#options;
    const elapsed = Math.max(0, Math.trunc(nowMillis - this.#at));
    this.#parts = Math.min(burst * PARTS, this.#parts + elapsed * perSecond);
    this.#at = nowMillis;
    if (this.#parts < PARTS) return false;
    this.#parts -= PARTS;
    return true;
  }
}
