import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import { DevClock } from './dev-clock.ts';

test('a clock that runs as the real one fires its timers in their order', () => {
  const real = new ManualClock(1_000);
  const clock = new DevClock(real);
  const fired: string[] = [];
  clock.after(200, () => fired.push('b'));
  clock.after(100, () => fired.push('a'));
  clock.after(150, () => fired.push('never'))();
  real.advance(99);
  assert.deepEqual(fired, []);
  real.advance(101);
  assert.deepEqual(fired, ['a', 'b']);
  assert.equal(clock.now(), 1_200);
});

test('a clock that stands still fires nothing, and goes on where it stood', () => {
  const real = new ManualClock(1_000);
  const clock = new DevClock(real);
  let fired = 0;
  clock.after(100, () => fired++);
  real.advance(60);
  clock.stand();
  real.advance(10_000);
  assert.deepEqual([fired, clock.now()], [0, 1_060]);
  clock.resume();
  real.advance(39);
  assert.equal(fired, 0);
  real.advance(1);
  assert.equal(fired, 1);
});

test('a clock that jumps brings its timers forward, and never goes back', () => {
  const real = new ManualClock(1_000);
  const clock = new DevClock(real);
  let fired = 0;
  clock.after(5_000, () => fired++);
  clock.jumpTo(5_990);
  real.advance(9);
  assert.equal(fired, 0);
  real.advance(1);
  assert.deepEqual([fired, clock.now()], [1, 6_000]);
  clock.jumpTo(2_000);
  assert.equal(clock.now(), 6_000);
});

test('a clock that stands still can jump, and its timers fire when it runs', () => {
  const real = new ManualClock(1_000);
  const clock = new DevClock(real);
  let fired = 0;
  clock.stand();
  clock.after(500, () => fired++);
  clock.jumpTo(1_500);
  real.advance(1_000);
  assert.deepEqual([fired, clock.now()], [0, 1_500]);
  clock.resume();
  real.advance(0);
  assert.equal(fired, 1);
});

test('a timer far ahead is looked at again and again until it is due', () => {
  const real = new ManualClock(1_000);
  const clock = new DevClock(real);
  let fired = 0;
  clock.after(200_000, () => fired++);
  real.advance(199_999);
  assert.equal(fired, 0);
  real.advance(1);
  assert.equal(fired, 1);
});

test('what its monotonic hand shows stands still, goes on and jumps with the wall clock, and is never set back', () => {
  const real = new ManualClock(1_000);
  const clock = new DevClock(real);
  real.advance(10);
  clock.jumpTo(1_110);
  assert.equal(clock.monotonic(), 110);
  clock.stand();
  real.advance(50);
  assert.equal(clock.monotonic(), 110);
  clock.resume();
  real.advance(5);
  assert.deepEqual([clock.now(), clock.monotonic()], [1_115, 115]);
  real.setWall(0);
  assert.equal(clock.monotonic(), 115);
});

test('a clock that begins at the time of another one stands there until it is resumed', () => {
  const real = new ManualClock(9_000);
  const clock = new DevClock(real, 5_000);
  let fired = 0;
  clock.after(100, () => fired++);
  real.advance(1_000);
  assert.deepEqual([fired, clock.now()], [0, 5_000]);
  clock.resume();
  real.advance(100);
  assert.deepEqual([fired, clock.now()], [1, 5_100]);
});
