/**
 * The clock of a development network: it can stand still, run, or hurry, and never goes back. Timers follow
 * it, so a network whose clock hurries makes cuts as fast as the machine allows.
 */
import type { Clock } from '../base/clock.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
  cancel: (() => void) | undefined;
}

/** Real timers cannot wait longer than this; a longer one is looked at again. */
const WAIT_MILLIS_MAX = 60_000;

export class DevClock implements Clock {
  readonly #real: Clock;
  readonly #timers = new Set<Timer>();
  /** What this clock showed when the real one showed `#realSince`. */
  #since: number;
  #realSince: number;
  #speed: number;

  constructor(real: Clock, speed = 1) {
    this.#real = real;
    this.#realSince = real.now();
    this.#since = this.#realSince;
    this.#speed = speed;
  }

  get speed(): number {
    return this.#speed;
  }

  now(): number {
    return Math.floor(this.#since + (this.#real.now() - this.#realSince) * this.#speed);
  }

  after(delayMillis: number, run: () => void): () => void {
    const timer: Timer = { at: this.now() + Math.max(0, delayMillis), run, cancel: undefined };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => this.#drop(timer);
  }

  /** Zero stops the clock; timers wait until it runs again. */
  setSpeed(speed: number): void {
    if (!(speed >= 0 && speed <= 1_000)) throw new RangeError(`a clock cannot run ${speed} times`);
    this.#since = this.now();
    this.#realSince = this.#real.now();
    this.#speed = speed;
    for (const timer of this.#timers) this.#arm(timer);
  }

  #arm(timer: Timer): void {
    timer.cancel?.();
    timer.cancel = undefined;
    if (this.#speed === 0) return;
    const wait = (timer.at - this.now()) / this.#speed;
    timer.cancel = this.#real.after(Math.min(Math.ceil(wait), WAIT_MILLIS_MAX), () => {
      if (this.now() < timer.at) return this.#arm(timer);
      this.#drop(timer);
      timer.run();
    });
  }

  #drop(timer: Timer): void {
    timer.cancel?.();
    this.#timers.delete(timer);
  }
}
