/**
 * The clock of a development network: it runs like the system's, stands still, or jumps ahead, and never goes
 * back. Timers follow it, so a network whose clock jumps to the time of the next cut does not wait for it.
 */
import type { Clock } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';

/** One of the two readings of a clock. Both stand, go on and jump together. */
interface Hand {
  readonly read: () => number;
  /** What this hand is ahead of the real one. */
  ahead: number;
  /** What it shows while it stands still. */
  standsAt: number | undefined;
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
  cancel: (() => void) | undefined;
}

/** The system's clock, with a turn of the loop for what is due at once: its timers take a millisecond at least. */
export const PROMPT_CLOCK: Clock = {
  ...SYSTEM_CLOCK,
  after(delayMillis, call) {
    if (delayMillis > 0) return SYSTEM_CLOCK.after(delayMillis, call);
    const turn = setImmediate(call);
    return () => clearImmediate(turn);
  },
};

/** The longest real timer; a longer wait is split. */
const WAIT_MILLIS_MAX = 60_000;

export class DevClock implements Clock {
  readonly #real: Clock;
  readonly #timers = new Set<Timer>();
  readonly #wall: Hand;
  readonly #steady: Hand;

  /** Begins with the real time, or stands still at the time of another clock. */
  constructor(real: Clock, standsAt?: number) {
    this.#real = real;
    this.#wall = { read: () => real.now(), ahead: 0, standsAt };
    this.#steady = {
      read: () => real.monotonic(),
      ahead: 0,
      standsAt: standsAt === undefined ? undefined : real.monotonic(),
    };
  }

  now(): number {
    return shownBy(this.#wall);
  }

  monotonic(): number {
    return shownBy(this.#steady);
  }

  after(delayMillis: number, run: () => void): () => void {
    const timer: Timer = { at: this.now() + Math.max(0, delayMillis), run, cancel: undefined };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => this.#drop(timer);
  }

  stand(): void {
    for (const hand of [this.#wall, this.#steady]) hand.standsAt ??= shownBy(hand);
    for (const timer of this.#timers) this.#arm(timer);
  }

  /** Lets the clock run on from where it stands. */
  resume(): void {
    for (const hand of [this.#wall, this.#steady]) {
      if (hand.standsAt === undefined) continue;
      hand.ahead = hand.standsAt - hand.read();
      hand.standsAt = undefined;
    }
    for (const timer of this.#timers) this.#arm(timer);
  }

  /** Moves the clock ahead to a time; does nothing if that time has passed. */
  jumpTo(millis: number): void {
    const forward = millis - this.now();
    if (forward <= 0) return;
    for (const hand of [this.#wall, this.#steady]) {
      if (hand.standsAt === undefined) hand.ahead += forward;
      else hand.standsAt += forward;
    }
    for (const timer of this.#timers) this.#arm(timer);
  }

  #arm(timer: Timer): void {
    timer.cancel?.();
    timer.cancel = undefined;
    if (this.#wall.standsAt !== undefined) return;
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

function shownBy(hand: Hand): number {
  return hand.standsAt ?? hand.read() + hand.ahead;
}
