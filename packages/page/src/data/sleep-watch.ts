/**
 * Notices that the machine slept, by a check that came much later than the one before. Connections of a machine that slept
 * look alive and are not, and their silence would be noticed much later. The timers of a hidden tab are held back for up to a
 * minute, which looks the same: then, too, a new connection is the safe answer.
 */

/** A check that is so late was not held up by work. */
export const SLEEP_MILLIS = 5_000;

export class SleepWatch {
  #checkedMillis: number;
  #sleptMillis: number | undefined;

  constructor(nowMillis: number) {
    this.#checkedMillis = nowMillis;
  }

  /**
   * Called about once a second, and when the tab is shown. Returns since when connections cannot be relied on, once; while
   * the tab is hidden this is kept for later.
   */
  check(nowMillis: number, isHidden: boolean): number | undefined {
    const before = this.#checkedMillis;
    this.#checkedMillis = nowMillis;
    if (nowMillis - before >= SLEEP_MILLIS) this.#sleptMillis ??= before;
    if (isHidden) return undefined;
    const slept = this.#sleptMillis;
    this.#sleptMillis = undefined;
    return slept;
  }

  /** A connection was made just now: it did not live through any sleep. */
  forget(): void {
    this.#sleptMillis = undefined;
  }
}
