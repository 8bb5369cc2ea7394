import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../testing/manual-clock.ts';
import { afterRunning } from './patience.ts';

function waiting(clock: ManualClock, millis: number): { readonly calls: number[] } {
  const calls: number[] = [];
  afterRunning(clock, millis, () => void calls.push(clock.monotonic()));
  return { calls };
}

test('a process that runs waits for the whole given time', () => {
  const clock = new ManualClock();
  const waits = [250, 100, 0, -1].map((millis) => waiting(clock, millis).calls);
  clock.advance(1_000);
  assert.deepEqual(waits, [[250], [100], [0], [0]]);
  assert.equal(clock.pending, 0);
});

test('a process that was stopped has not waited meanwhile, and a starved one waits for many of its turns', () => {
  const clock = new ManualClock();
  const { calls } = waiting(clock, 1_000);
  clock.stall(3_600_000);
  clock.advance(0);
  clock.advance(899);
  assert.deepEqual(calls, []);
  clock.advance(1);
  assert.deepEqual(calls, [3_600_900]);
  const starved = waiting(clock, 1_000);
  for (let turn = 0; turn < 9; turn++) {
    clock.stall(5_000);
    clock.advance(0);
  }
  assert.deepEqual(starved.calls, []);
});

test('a wait that is cancelled ends, in its first turn and in a later one', () => {
  const clock = new ManualClock();
  const cancels = [0, 1].map(() => afterRunning(clock, 1_000, () => assert.fail('called')));
  cancels[0]?.();
  clock.advance(500);
  cancels[1]?.();
  assert.equal(clock.pending, 0);
  clock.advance(5_000);
});
