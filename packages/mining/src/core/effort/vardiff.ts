/**
 * Difficulty of one connection's shares: from the work it delivered, so that one share comes in five seconds. Whole
 * numbers; time is handed in and only differences of it count. A change is at most fourfold, and small ones are left
 * alone: shares come at random.
 */
export interface VardiffOptions {
  /** The initial difficulty of a connection. */
  readonly start: bigint;
  /** The least difficulty that the server can check for so many connections. */
  readonly least: bigint;
  readonly shareMillis?: number;
}

export const SHARE_MILLIS = 5_000;
const STEP_MAX = 4n;
/** Shares after which a rate is believed. */
const SHARES_MIN = 8;
/** After the time of so many shares the absence of any counts too. */
const WAIT_SHARES = 6;
/** Parts of a hundred between which the difficulty is left as it is. */
const KEPT_PERCENT = { least: 70n, most: 140n } as const;
/** The least time that a rate is computed over. */
const ELAPSED_MILLIS_MIN = 1n;

export class Vardiff {
  readonly #least: bigint;
  readonly #shareMillis: number;
  #difficulty: bigint;
  #since: number;
  #shares = 0;
  #work = 0n;

  constructor(options: VardiffOptions, nowMillis: number) {
    const { start, least, shareMillis = SHARE_MILLIS } = options;
    if (least < 1n || start < 1n) throw new RangeError('a difficulty is at least 1');
    this.#least = least;
    this.#shareMillis = shareMillis;
    this.#difficulty = start < least ? least : start;
    this.#since = nowMillis;
  }

  get difficulty(): bigint {
    return this.#difficulty;
  }

  /** Takes over the difficulty of a session that was resumed. */
  restart(difficulty: bigint, nowMillis: number): void {
    this.#difficulty = difficulty < this.#least ? this.#least : difficulty;
    this.#begin(nowMillis);
  }

  /** An accepted share of this difficulty. */
  addShare(difficulty: bigint): void {
    this.#shares++;
    this.#work += difficulty;
  }

  /** The new difficulty, if it is time for one and it differs enough. */
  retarget(nowMillis: number): bigint | undefined {
    const elapsed = nowMillis - this.#since;
    if (elapsed < 0) this.#begin(nowMillis);
    const isDue = this.#shares >= SHARES_MIN || elapsed >= WAIT_SHARES * this.#shareMillis;
    if (!isDue || elapsed < 0) return undefined;
    const millis = elapsed < 1 ? ELAPSED_MILLIS_MIN : BigInt(Math.trunc(elapsed));
    const wanted = (this.#work * BigInt(this.#shareMillis)) / millis;
    this.#begin(nowMillis);
    return this.#change(wanted);
  }

  #begin(nowMillis: number): void {
    this.#since = nowMillis;
    this.#shares = 0;
    this.#work = 0n;
  }

  #change(wanted: bigint): bigint | undefined {
    const now = this.#difficulty;
    const percent = (wanted * 100n) / now;
    if (percent >= KEPT_PERCENT.least && percent <= KEPT_PERCENT.most) return undefined;
    const most = now * STEP_MAX;
    const least = now / STEP_MAX < this.#least ? this.#least : now / STEP_MAX;
    const next = wanted > most ? most : wanted < least ? least : wanted;
    if (next === now) return undefined;
    this.#difficulty = next;
    return next;
  }
}
