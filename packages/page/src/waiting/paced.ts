/** Throttles a call: at once if the last one was long ago, and never more often than an interval allows. */
import type { Clock } from 'svc-base/pure';

export class Paced {
  readonly #run: () => void;
  readonly #everyMillis: number;
  readonly #clock: Pick<Clock, 'after' | 'monotonic'>;
  #ranMillis = Number.NEGATIVE_INFINITY;
  #isDue = false;

  constructor(everyMillis: number, clock: Pick<Clock, 'after' | 'monotonic'>, run: () => void) {
    this.#everyMillis = everyMillis;
    this.#clock = clock;
    this.#run = run;
  }

  /** Several requests before the next turn are one. */
  want(): void {
    if (this.#isDue) return;
    const wait = this.#ranMillis + this.#everyMillis - this.#clock.monotonic();
    if (wait <= 0) {
      this.#go();
      return;
    }
    this.#isDue = true;
    this.#clock.after(wait, () => {
      this.#isDue = false;
      this.#go();
    });
  }

  #go(): void {
    this.#ranMillis = this.#clock.monotonic();
    this.#run();
  }
}
