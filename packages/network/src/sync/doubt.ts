/**
 * How long claims that nobody has proven may hold the node up. They do for a limited time in all: whoever claims a
 * height, or comes back under another name and claims it again, spends from one budget. A proof that the node was
 * behind fills the budget, and so does time, slowly.
 */
export class DoubtBudget {
  readonly #millisMax: number;
  #spentMillis = 0;
  #atMillis: number | undefined;

  constructor(millisMax: number) {
    this.#millisMax = millisMax;
  }

  /** Whether claims that are not proven still count. */
  get isLeft(): boolean {
    return this.#spentMillis < this.#millisMax;
  }

  /** Must be called often; `isDoubted` says whether nothing but a claim speaks for the node being behind. */
  pass(isDoubted: boolean, nowMillis: number): void {
    const elapsed = nowMillis - (this.#atMillis ?? nowMillis);
    this.#atMillis = nowMillis;
    const change = isDoubted ? elapsed : -elapsed / RECOVERY_DIVISOR;
    this.#spentMillis = Math.max(0, Math.min(this.#millisMax, this.#spentMillis + change));
  }

  /** The node was behind, and a certificate shows it: claims are worth asking about again. */
  fill(): void {
    this.#spentMillis = 0;
  }
}

/** A second of doubt comes back in this many seconds without. */
const RECOVERY_DIVISOR = 60;
