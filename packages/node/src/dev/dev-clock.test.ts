import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../base/clock.ts';
import { DevClock } from './dev-clock.ts';

/** A real clock that a test moves by hand. */
class HandClock implements Clock {
  time = 1_000;
  readonly #timers = new Map<object, { at: number; run: () => void }>();

  now(): number {
    return this.time;
  }

  after(delayMillis: number, run: () => void): () => void {
    const key = {};
    this.#timers.set(key, { at: this.time + delayMillis, run });
    return () => void this.#timers.delete(key);
  }

  move(millis: number): void {
    const end = this.time + millis;
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= end);
      due.sort(([, a], [, b]) => a.at - b.at);
      const [first] = due;
      if (first === undefined) break;
      this.#timers.delete(first[0]);
      this.time = Math.max(this.time, first[1].at);
      first[1].run();
    }
    this.time = end;
  }
}

test('a clock that runs as the real one fires its timers in their order', () => {
  const real = new HandClock();
  const clock = new DevClock(real);
  const fired: string[] = [];
  clock.after(200, () => fired.push('b'));
  clock.after(100, () => fired.push('a'));
  clock.after(150, () => fired.push('never'))();
  real.move(99);
  assert.deepEqual(fired, []);
  real.move(101);
  assert.deepEqual(fired, ['a', 'b']);
  assert.equal(clock.now(), 1_200);
});

test('a clock that stands still fires nothing, and goes on where it stood', () => {
  const real = new HandClock();
  const clock = new DevClock(real);
  let fired = 0;
  clock.after(100, () => fired++);
  real.move(60);
  clock.stand();
  real.move(10_000);
  assert.deepEqual([fired, clock.now()], [0, 1_060]);
  clock.run();
  real.move(39);
  assert.equal(fired, 0);
  real.move(1);
  assert.equal(fired, 1);
});

test('a clock that jumps brings its timers forward, and never goes back', () => {
  const real = new HandClock();
  const clock = new DevClock(real);
  let fired = 0;
  clock.after(5_000, () => fired++);
  clock.jumpTo(5_990);
  real.move(9);
  assert.equal(fired, 0);
  real.move(1);
  assert.deepEqual([fired, clock.now()], [1, 6_000]);
  clock.jumpTo(2_000);
  assert.equal(clock.now(), 6_000);
});

test('a clock that stands still can jump, and its timers fire when it runs', () => {
  const real = new HandClock();
  const clock = new DevClock(real);
  let fired = 0;
  clock.stand();
  clock.after(500, () => fired++);
  clock.jumpTo(1_500);
  real.move(1_000);
  assert.deepEqual([fired, clock.now()], [0, 1_500]);
  clock.run();
  real.move(0);
  assert.equal(fired, 1);
});

test('a timer far ahead is looked at again and again until it is due', () => {
  const real = new HandClock();
  const clock = new DevClock(real);
  let fired = 0;
  clock.after(200_000, () => fired++);
  real.move(199_999);
  assert.equal(fired, 0);
  real.move(1);
  assert.equal(fired, 1);
});
