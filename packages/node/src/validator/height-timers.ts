/**
 * Timers of the height in progress; a new height starts without any.
 */
import type { Clock } from '../base/clock.ts';

export class HeightTimers {
  readonly #clock: Clock;
  readonly #cancels = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  after(delayMillis: number, run: () => void): void {
    const cancel = this.#clock.after(delayMillis, () => {
      this.#cancels.delete(cancel);
      run();
    });
    this.#cancels.add(cancel);
  }

  clear(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }
}
