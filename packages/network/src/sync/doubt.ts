/**
 * How long unproven height claims may delay the node. The time is limited for all of them together: every claim, also
 * of a peer that comes back under another name, spends from one budget. A proof that the node was behind refills the
 * budget, and so does time, slowly.
 */
export class DoubtBudget {
  readonly #millisMax: number;
  readonly #visitMillis: number;
  #spentMillis = 0;
  #atMillis: number | undefined;
  #wasDoubted = false;
  #isLeft: boolean;

  /** A doubt costs `visitMillis` at its beginning, however soon it ends. */
  constructor(millisMax: number, visitMillis: number) {
    this.#millisMax = millisMax;
    this.#visitMillis = visitMillis;
    this.#isLeft = millisMax > 0;
  }

  /** Whether claims that are not proven still count. Once they do not, a good part has to come back first. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Must be called often; `isDoubted` says whether nothing but a claim speaks for the node being behind. */
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

  /** The node was behind, and a certificate shows it: claims are worth asking about again. */
  fill(): void {
    this.#spentMillis = 0;
    this.#isLeft = this.#millisMax > 0;
  }
}

/** A second of doubt comes back in this many seconds without. */
const RECOVERY_DIVISOR = 60;
