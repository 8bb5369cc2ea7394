/**
 * When to log a lasting failure again: at once, then after pauses that double up to a minute. Retries every two seconds
 * would otherwise fill a log.
 */
import type { Clock } from 'svc-base/pure';

const PAUSE_MILLIS = { first: 8_000, most: 60_000 } as const;

export class Reminder {
  readonly #clock: Clock;
  #pauseMillis: number = PAUSE_MILLIS.first;
  #dueAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether to log it now; if so, the next time is set. */
  isDue(): boolean {
    const now = this.#clock.monotonic();
    if (this.#dueAt !== undefined && now < this.#dueAt) return false;
    this.#dueAt = now + this.#pauseMillis;
    this.#pauseMillis = Math.min(2 * this.#pauseMillis, PAUSE_MILLIS.most);
    return true;
  }

  /** After a success the next failure is logged at once. */
  reset(): void {
    this.#dueAt = undefined;
    this.#pauseMillis = PAUSE_MILLIS.first;
  }
}
