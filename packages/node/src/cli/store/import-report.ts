/**
 * Tells how far a state is that is put into its place, every few seconds: a large one takes minutes.
 */
import type { Clock } from 'svc-base/pure';

const PAUSE_MILLIS = 5_000;

export class ImportReport {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #tell: (percent: number) => void;
  #toldAtMillis: number;

  constructor(clock: Pick<Clock, 'monotonic'>, tell: (percent: number) => void) {
    this.#clock = clock;
    this.#tell = tell;
    this.#toldAtMillis = clock.monotonic();
  }

  /** Takes two parts of the work, each between 0 and 1: what was read, and what of it is in its place. */
  report(read: number, placed: number): void {
    const now = this.#clock.monotonic();
    if (now - this.#toldAtMillis < PAUSE_MILLIS) return;
    this.#toldAtMillis = now;
    this.#tell(Math.floor(50 * (read + placed)));
  }
}
