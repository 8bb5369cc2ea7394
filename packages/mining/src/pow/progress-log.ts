/**
 * Logs the progress of a long task at intervals, with the time that is left.
 */
import type { Clock, Log } from 'svc-base/pure';

const SILENCE_MILLIS = 5_000;

export class ProgressLog {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #log: Log;
  readonly #period: number;
  readonly #startedAt: number;
  #saidAt: number;
  #saidOf: number | undefined;

  constructor(clock: Pick<Clock, 'now'>, log: Log, period: number) {
    this.#clock = clock;
    this.#log = log;
    this.#period = period;
    this.#startedAt = clock.now();
    this.#saidAt = this.#startedAt;
  }

  note(fraction: number): void {
    const now = this.#clock.now();
    const isDone = fraction >= 1;
    if (!isDone && now - this.#saidAt < SILENCE_MILLIS) return;
    this.#saidAt = now;
    const elapsed = now - this.#startedAt;
    const fields = {
      period: this.#period,
      percent: Math.floor(fraction * 100),
      seconds_left: Math.ceil((elapsed * (1 - fraction)) / fraction / 1_000),
    };
    const message = isDone ? 'made the proof-of-work dataset' : 'making the proof-of-work dataset';
    this.#log.info(fields, message);
  }

  /** Another process makes the dataset. */
  noteOther(pid: number, percent: number): void {
    const now = this.#clock.now();
    if (pid === this.#saidOf && now - this.#saidAt < SILENCE_MILLIS) return;
    this.#saidOf = pid;
    this.#saidAt = now;
    const fields = { period: this.#period, pid, percent };
    this.#log.info(fields, 'waiting for the proof-of-work dataset that another program makes');
  }
}
