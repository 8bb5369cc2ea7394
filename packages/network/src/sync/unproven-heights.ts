/**
 * How long unproven height claims may delay the node. The time is limited for all of them together: every claim, also
 * of a peer that comes back under another name, spends from one budget. A proof that the node was behind refills the
 * budget, and so does time, slowly.
 */
export class UnprovenHeightBudget {
  readonly #millisMax: number;
  readonly #visitMillis: number;
  #spentMillis = 0;
  #atMillis: number | undefined;
  #wasDoubted = false;
  #isLeft: boolean;

  /** An unproven claim costs `visitMillis` at its beginning, however soon it ends. */
  constructor(millisMax: number, visitMillis: number) {
    this.#millisMax = millisMax;
    this.#visitMillis = visitMillis;
    this.#isLeft = millisMax > 0;
  }

  /** Whether unproven claims still count. Once they do not, a good part of the budget has to refill first. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Must be called often; `isDoubted` means that only an unproven claim suggests that the node is behind. */
  pass(isDoubted: boolean, nowMillis: number): void {
    const elapsed = nowMillis - (this.#atMillis ?? nowMillis);
    this.#atMillis = nowMillis;
    const visit = isDoubted && !this.#wasDoubted ? this.#visitMillis : 0;
    this.#wasDoubted = isDoubted;
    const change = isDoubted ? elapsed + visit : -elapsed / RECOVERY_DIVISOR;
    this.#spentMillis = Math.max(0, Math.min(this.#millisMax, this.#spentMillis + change));
    if (this.#spentMillis >= this.#millisMax) this.#isLeft = false;
    else if (this.#spentMillis <= this.#millisMax / 2) this.#isLeft = true;
  }

  /** A certificate shows that the node was behind: claims are worth checking again. */
  fill(): void {
    this.#spentMillis = 0;
    this.#isLeft = this.#millisMax > 0;
  }
}

/** A second of the budget is refilled in this many seconds. */
const RECOVERY_DIVISOR = 60;
