/**
 * Tells the operator when the clock is off. Cuts carry times, and a validator whose clock differs too much finds
 * those of others untimely; it goes on signing all the same.
 */
import type { Clock, Log } from 'svc-base/pure';

const CHECK_MILLIS = 30_000;
const WARNING_MILLIS = 250;
const ALARM_MILLIS = 500;
const MESSAGE = 'the clock differs from those of the other validators; set it by NTP';

export class ClockWatch {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #offset: () => number | undefined;
  #cancel: (() => void) | undefined;

  /** `offset` is how far the other clocks are ahead. */
  constructor(clock: Clock, log: Log, offset: () => number | undefined) {
    this.#clock = clock;
    this.#log = log;
    this.#offset = offset;
  }

  start(): void {
    this.#cancel = this.#clock.after(CHECK_MILLIS, () => {
      const offsetMillis = Math.round(this.#offset() ?? 0);
      if (Math.abs(offsetMillis) >= ALARM_MILLIS) this.#log.error({ offsetMillis }, MESSAGE);
      else if (Math.abs(offsetMillis) >= WARNING_MILLIS) this.#log.warn({ offsetMillis }, MESSAGE);
      this.start();
    });
  }

  close(): void {
    this.#cancel?.();
  }
}
