/**
 * Timers of the height in progress; a new height starts without any.
 */
import type { Clock } from 'svc-base/pure';

interface Timer {
  cancel: () => void;
  /** Its place in the list. */
  at: number;
}

export class HeightTimers {
  readonly #clock: Clock;
  #timers: Timer[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  after(delayMillis: number, call: () => void): void {
    const timer: Timer = { cancel: () => {}, at: this.#timers.length };
    timer.cancel = this.#clock.after(delayMillis, () => {
      this.#remove(timer);
      call();
    });
    this.#timers.push(timer);
  }

  clear(): void {
    const timers = this.#timers;
    this.#timers = [];
    for (const { cancel } of timers) cancel();
  }

  /** Removes a timer; the last one of the list moves into its slot. */
  #remove(timer: Timer): void {
    const timers = this.#timers;
    if (timers[timer.at] !== timer) return;
    const last = timers.pop();
    if (last === undefined || last === timer) return;
    timers[timer.at] = last;
    last.at = timer.at;
  }
}
