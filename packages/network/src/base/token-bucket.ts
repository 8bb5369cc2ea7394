/**
 * A budget that refills with time. What was taken beyond it is a debt, which is paid off before anything
 * else is granted: one large message costs its whole size, and is never cut off in the middle.
 */
export interface Rate {
  readonly perSecond: number;
  /** Tokens that may be spent at once after a pause. */
  readonly burst: number;
}

export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #atMillis: number;

  constructor(rate: Rate, nowMillis: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#atMillis = nowMillis;
  }

  /** Spends tokens, into debt if need be. */
  spend(count: number, nowMillis: number): void {
    this.#refill(nowMillis);
    this.#tokens -= count;
  }

  /** Spends tokens if there is no debt; returns whether it did. */
  trySpend(count: number, nowMillis: number): boolean {
    this.#refill(nowMillis);
    if (this.#tokens < Math.min(count, this.#rate.burst)) return false;
    this.#tokens -= count;
    return true;
  }

  /** How long until the debt is paid off; 0 if there is none. */
  waitMillis(nowMillis: number): number {
    this.#refill(nowMillis);
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * 1_000) / this.#rate.perSecond);
  }

  #refill(nowMillis: number): void {
    const elapsed = Math.max(0, nowMillis - this.#atMillis);
    this.#atMillis = nowMillis;
    const refilled = this.#tokens + (elapsed * this.#rate.perSecond) / 1_000;
    this.#tokens = Math.min(this.#rate.burst, refilled);
  }
}
