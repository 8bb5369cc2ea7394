/**
 * How many hashes a second a device made over the last ten seconds, minute and quarter of an hour. Hashes are
 * counted by the second they ended in; time is the caller's.
 */
export const RATE_WINDOWS_SECONDS = [10, 60, 900] as const;

const SECONDS_MAX = 900;

export class RateMeter {
  readonly #bySecond = new Float64Array(SECONDS_MAX);
  #startedAt: number | undefined;
  #second = -1;
  /** All hashes ever counted. */
  total = 0;

  /** Counts hashes that ended at a time of a clock that never goes back, in milliseconds. */
  add(hashes: number, atMillis: number): void {
    this.#startedAt ??= atMillis;
    this.#moveTo(Math.floor(atMillis / 1_000));
    const place = this.#second % SECONDS_MAX;
    this.#bySecond[place] = (this.#bySecond[place] as number) + hashes;
    this.total += hashes;
  }

  /** Hashes a second over whole seconds before now; over less than the window while it has not run that long. */
  rate(windowSeconds: number, nowMillis: number): number {
    if (this.#startedAt === undefined) return 0;
    this.#moveTo(Math.floor(nowMillis / 1_000));
    const runningSeconds = this.#second - Math.floor(this.#startedAt / 1_000);
    const seconds = Math.min(windowSeconds, runningSeconds, SECONDS_MAX - 1);
    if (seconds < 1) return 0;
    let sum = 0;
    for (let back = 1; back <= seconds; back++)
      sum += this.#bySecond[(this.#second - back) % SECONDS_MAX] as number;
    return sum / seconds;
  }

  #moveTo(second: number): void {
    if (this.#second < 0) this.#second = second;
    const steps = Math.min(second - this.#second, SECONDS_MAX);
    for (let step = 1; step <= steps; step++)
      this.#bySecond[(second - steps + step) % SECONDS_MAX] = 0;
    if (second > this.#second) this.#second = second;
  }
}
