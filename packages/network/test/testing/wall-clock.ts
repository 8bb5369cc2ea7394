/**
 * A clock whose wall a test sets, while its monotonic hand and its timers follow another clock: what an operator or a
 * time server does to one machine of several.
 */
import type { Clock } from 'svc-base/pure';

export class WallClock implements Clock {
  readonly #base: Clock;
  #aheadMillis = 0;

  constructor(base: Clock) {
    this.#base = base;
  }

  now(): number {
    return this.#base.now() + this.#aheadMillis;
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  after(delayMillis: number, call: () => void): () => void {
    return this.#base.after(delayMillis, call);
  }

  /** Moves the wall clock alone, ahead or back. */
  jump(millis: number): void {
    this.#aheadMillis += millis;
  }
}
