/**
 * A budget that refills with time: the one token bucket of the repository. Tokens spent beyond it are a debt, which is
 * paid off before anything else is granted: one large message costs its whole size, and is never cut off in the middle.
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

  /** Tokens that are left; negative for a debt. */
  left(nowMillis: number): number {
    this.#refill(nowMillis);
    return this.#tokens;
  }

  /** Spends tokens, into debt if need be; a negative count gives tokens back. */
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

  /** How long until the debt is paid off and so many tokens are there; 0 if they are. */
  waitMillis(nowMillis: number, count = 0): number {
    const missing = count - this.left(nowMillis);
    return missing <= 0 ? 0 : Math.ceil((missing * 1_000) / this.#rate.perSecond);
  }

  #refill(nowMillis: number): void {
    const elapsed = Math.max(0, nowMillis - this.#atMillis);
    this.#atMillis = nowMillis;
    const refilled = this.#tokens + (elapsed * this.#rate.perSecond) / 1_000;
    this.#tokens = Math.min(this.#rate.burst, refilled);
  }
}
