/**
 * The clock of a development network: it runs like the system's, stands still, or jumps ahead, and never goes
 * back. Timers follow it, so a network whose clock jumps to the time of the next cut does not wait for it.
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
  /** What this clock is ahead of the real one; what it shows while it stands still. */
  #ahead = 0;
  #standsAt: number | undefined;

  constructor(real: Clock) {
    this.#real = real;
  }

  now(): number {
    return this.#standsAt ?? this.#real.now() + this.#ahead;
  }

  after(delayMillis: number, run: () => void): () => void {
    const timer: Timer = { at: this.now() + Math.max(0, delayMillis), run, cancel: undefined };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => this.#drop(timer);
  }

  stand(): void {
    this.#standsAt ??= this.now();
    for (const timer of this.#timers) this.#arm(timer);
  }

  /** Goes on from where it stands. */
  run(): void {
    if (this.#standsAt === undefined) return;
    this.#ahead = this.#standsAt - this.#real.now();
    this.#standsAt = undefined;
    for (const timer of this.#timers) this.#arm(timer);
  }

  /** A time that has passed changes nothing. */
  jumpTo(millis: number): void {
    const forward = millis - this.now();
    if (forward <= 0) return;
    if (this.#standsAt === undefined) this.#ahead += forward;
    else this.#standsAt += forward;
    for (const timer of this.#timers) this.#arm(timer);
  }

  #arm(timer: Timer): void {
    timer.cancel?.();
    timer.cancel = undefined;
    if (this.#standsAt !== undefined) return;
    const wait = Math.min(timer.at - this.now(), WAIT_MILLIS_MAX);
    timer.cancel = this.#real.after(wait, () => {
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
