/**
 * A clock that a test moves. Time stops between moves, and timers are called by the move that reaches them.
 */
import type { Clock } from '../pure/clock.ts';

interface Timer {
  /** On the scale of `monotonic`. */
  readonly at: number;
  readonly call: () => void;
}

const START_MILLIS = 1_800_000_000_000;

export class ManualClock implements Clock {
  readonly #timers = new Set<Timer>();
  #startedAt: number;
  #elapsed = 0;

  constructor(startMillis: number = START_MILLIS) {
    this.#startedAt = startMillis;
  }

  now(): number {
    return this.#startedAt + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(delayMillis: number, call: () => void): () => void {
    const timer = { at: this.#elapsed + Math.max(0, delayMillis), call };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves ahead and calls the timers on the way in the order of their times, each at its own time. */
  advance(millis: number): void {
    const target = this.#elapsed + millis;
    for (let timer = this.#nextUntil(target); timer; timer = this.#nextUntil(target)) {
      this.#timers.delete(timer);
      this.#elapsed = Math.max(this.#elapsed, timer.at);
      timer.call();
    }
    this.#elapsed = Math.max(this.#elapsed, target);
  }

  /** Moves ahead as for a process that was stopped meanwhile: timers that came due are called by the next move. */
  stall(millis: number): void {
    this.#elapsed += millis;
  }

  /** Sets the wall clock alone, ahead or back, as an operator may; no timer is called. */
  setWall(millis: number): void {
    this.#startedAt = millis - this.#elapsed;
  }

  #nextUntil(target: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at <= target && (next === undefined || timer.at < next.at)) next = timer;
    }
    return next;
  }
}
