import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM_CLOCK } from '../system-clock.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { sleep } from './clock.ts';

test('sleeping ends when its time has come, not before', async () => {
  const clock = new ManualClock();
  let isOver = false;
  const sleeping = sleep(clock, 100).then(() => {
    isOver = true;
  });
  clock.advance(99);
  await Promise.resolve();
  assert.equal(isOver, false);
  clock.advance(1);
  await sleeping;
  assert.equal(clock.pending, 0);
});

test('an aborted sleep ends at once, before or during it, and leaves no timer and no listener', async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  const sleeping = sleep(clock, 100, controller.signal);
  assert.equal(clock.pending, 1);
  controller.abort();
  await sleeping;
  assert.equal(clock.pending, 0);
  await sleep(clock, 100, controller.signal);
  assert.equal(clock.pending, 0);
});

test('the system clock calls after the delay, and not when it is cancelled', async () => {
  const began = SYSTEM_CLOCK.monotonic();
  let wasCalled = false;
  SYSTEM_CLOCK.after(1, () => {
    wasCalled = true;
  })();
  await sleep(SYSTEM_CLOCK, 20);
  assert.equal(wasCalled, false);
  assert.ok(SYSTEM_CLOCK.monotonic() - began >= 19);
  await sleep(SYSTEM_CLOCK, -1);
});

test('a manual clock calls its timers in the order of their times, and later ones that they set', () => {
  const clock = new ManualClock(1_000);
  const told: string[] = [];
  const tell = (name: string) => () => void told.push(`${name} at ${clock.now()}`);
  clock.after(20, tell('late'));
  clock.after(10, () => {
    tell('early')();
    clock.after(5, tell('chained'));
  });
  clock.after(15, tell('cancelled'))();
  clock.after(31, tell('never'));
  clock.advance(30);
  assert.deepEqual(told, ['early at 1010', 'chained at 1015', 'late at 1020']);
  assert.equal(clock.now(), 1_030);
  assert.equal(clock.monotonic(), 30);
  assert.equal(clock.pending, 1);
  clock.setWall(500);
  assert.deepEqual([clock.now(), clock.monotonic(), clock.pending], [500, 30, 1]);
});
