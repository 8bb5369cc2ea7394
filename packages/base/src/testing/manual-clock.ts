/**
 * A clock that a test moves. Time stands still between moves, and timers are called by the move that reaches them.
 */
import type { Clock } from '../pure/clock.ts';

interface Timer {
  readonly at: number;
  readonly call: () => void;
}

const START_MILLIS = 1_800_000_000_000;

export class ManualClock implements Clock {
  readonly #timers = new Set<Timer>();
  readonly #startedAt: number;
  #now: number;

  constructor(startMillis: number = START_MILLIS) {
    this.#startedAt = startMillis;
    this.#now = startMillis;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#startedAt;
  }

  after(delayMillis: number, call: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, delayMillis), call };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves ahead and calls the timers on the way in the order of their times, each at its own time. */
  advance(millis: number): void {
    const target = this.#now + millis;
    for (let timer = this.#nextUntil(target); timer; timer = this.#nextUntil(target)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.call();
    }
    this.#now = Math.max(this.#now, target);
  }

  #nextUntil(target: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at <= target && (next === undefined || timer.at < next.at)) next = timer;
    }
    return next;
  }
}
