/**
 * The clock of a development network: it runs like the system's, stands still, or jumps ahead, and never goes
 * back. Timers follow it, so a network whose clock jumps to the time of the next cut does not wait for it.
 */
import type { Clock } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';

/** One of the two readings of a clock. Both stand, run and jump together. */
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
}

/** The one real timer, which waits for the earliest of all timers or for an earlier time. */
interface Waiting {
  readonly until: number;
  readonly cancel: () => void;
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
  #waiting: Waiting | undefined;
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
    const timer: Timer = { at: this.now() + Math.max(0, delayMillis), run };
    this.#timers.add(timer);
    if (this.#waiting === undefined || timer.at < this.#waiting.until) this.#wait();
    return () => this.#drop(timer);
  }

  stand(): void {
    for (const hand of [this.#wall, this.#steady]) hand.standsAt ??= shownBy(hand);
    this.#wait();
  }

  /** Lets the clock run on from where it stands. */
  resume(): void {
    for (const hand of [this.#wall, this.#steady]) {
      if (hand.standsAt === undefined) continue;
      hand.ahead = hand.standsAt - hand.read();
      hand.standsAt = undefined;
    }
    this.#wait();
  }

  /** Moves the clock ahead to a time; does nothing if that time has passed. */
  jumpTo(millis: number): void {
    const forward = millis - this.now();
    if (forward <= 0) return;
    for (const hand of [this.#wall, this.#steady]) {
      if (hand.standsAt === undefined) hand.ahead += forward;
      else hand.standsAt += forward;
    }
    this.#wait();
  }

  /** Waits for the earliest timer, if the clock runs. */
  #wait(): void {
    this.#waiting?.cancel();
    this.#waiting = undefined;
    const timer = this.#earliest();
    if (timer === undefined || this.#wall.standsAt !== undefined) return;
    const wait = Math.min(timer.at - this.now(), WAIT_MILLIS_MAX);
    this.#waiting = { until: timer.at, cancel: this.#real.after(wait, () => this.#fire()) };
  }

  /** Runs the earliest timer if it is due. Each has a turn of its own, so the next one waits for its turn. */
  #fire(): void {
    this.#waiting = undefined;
    const timer = this.#earliest();
    const isDue = timer !== undefined && timer.at <= this.now();
    if (isDue) this.#timers.delete(timer);
    this.#wait();
    if (isDue) timer.run();
  }

  /** Of timers for the same time the one that was set first. */
  #earliest(): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.#timers)
      if (earliest === undefined || timer.at < earliest.at) earliest = timer;
    return earliest;
  }

  /** The real timer may keep waiting for a timer that is gone, as long as there are others. */
  #drop(timer: Timer): void {
    this.#timers.delete(timer);
    if (this.#timers.size > 0) return;
    this.#waiting?.cancel();
    this.#waiting = undefined;
  }
}

function shownBy(hand: Hand): number {
  return hand.standsAt ?? hand.read() + hand.ahead;
}
