/**
 * Warns the operator when the clock is off. Cuts carry times, and a validator whose clock differs too much finds
 * those of others untimely; it continues to sign.
 *
 * Clocks are compared by a query and its answer, and either may have waited for a processor or the network. A
 * difference that such a wait can explain is no sign of a wrong clock.
 */
import type { Clock, Log } from 'svc-base/pure';

const CHECK_MILLIS = 30_000;
const WARNING_MILLIS = 250;
const ALARM_MILLIS = 500;
const WRONG = 'the clock differs from those of the other validators; set it by NTP';
const UNKNOWN =
  'clocks cannot be compared: messages between this validator and the others wait for a processor or the network';

export interface ClockOffset {
  /** How far the other clock is ahead, if question and answer took equally long. */
  readonly aheadMillis: number;
  /** Half of the time that both took together: the other clock is not further from `aheadMillis` than this. */
  readonly doubtMillis: number;
}

/** A question was sent and its answer read by this clock, and `theirs` read by the other one in between. */
export function clockOffsetOf(sentAt: number, theirs: number, readAt: number): ClockOffset {
  return { aheadMillis: theirs - (sentAt + readAt) / 2, doubtMillis: (readAt - sentAt) / 2 };
}

export class ClockWatch {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #offset: () => ClockOffset | undefined;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, log: Log, offset: () => ClockOffset | undefined) {
    this.#clock = clock;
    this.#log = log;
    this.#offset = offset;
  }

  start(): void {
    this.#cancel = this.#clock.after(CHECK_MILLIS, () => {
      this.#check();
      this.start();
    });
  }

  close(): void {
    this.#cancel?.();
  }

  #check(): void {
    const { aheadMillis = 0, doubtMillis = 0 } = this.#offset() ?? {};
    const seen = Math.abs(aheadMillis);
    const fields = { offsetMillis: Math.round(aheadMillis), doubtMillis: Math.round(doubtMillis) };
    if (seen - doubtMillis >= ALARM_MILLIS) this.#log.error(fields, WRONG);
    else if (seen - doubtMillis >= WARNING_MILLIS) this.#log.warn(fields, WRONG);
    else if (seen >= WARNING_MILLIS) this.#log.warn(fields, UNKNOWN);
  }
}
