import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeightTimers } from './height-timers.ts';

/** A clock whose timers fire when the test says so. */
function heldTimers() {
  const set = new Map<number, () => void>();
  const cancelled: number[] = [];
  const timers = new HeightTimers({
    now: () => 0,
    monotonic: () => 0,
    after: (delayMillis, call) => {
      set.set(delayMillis, call);
      return () => cancelled.push(delayMillis);
    },
  });
  return { timers, cancelled, fire: (delayMillis: number) => set.get(delayMillis)?.() };
}

test('a new height cancels the timers that have not fired, in whichever order others have', () => {
  const { timers, cancelled, fire } = heldTimers();
  const fired: number[] = [];
  for (const delay of [1, 2, 3, 4, 5]) timers.after(delay, () => fired.push(delay));
  for (const delay of [2, 5, 1]) fire(delay);
  timers.clear();
  assert.deepEqual(fired, [2, 5, 1]);
  assert.deepEqual(
    cancelled.toSorted((a, b) => a - b),
    [3, 4],
  );
  timers.clear();
  assert.equal(cancelled.length, 2, 'nothing is cancelled twice');
});

test('a timer that is set while another fires belongs to the height', () => {
  const { timers, cancelled, fire } = heldTimers();
  timers.after(1, () => timers.after(2, () => {}));
  fire(1);
  timers.clear();
  assert.deepEqual(cancelled, [2]);
});
