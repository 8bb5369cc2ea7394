/**
 * Timers of the height in progress; a new height starts without any.
 */
import type { Clock } from 'svc-base/pure';

export class HeightTimers {
  readonly #clock: Clock;
  readonly #cancels = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  after(delayMillis: number, call: () => void): void {
    const cancel = this.#clock.after(delayMillis, () => {
      this.#cancels.delete(cancel);
      call();
    });
    this.#cancels.add(cancel);
  }

  clear(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }
}
