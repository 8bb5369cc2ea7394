import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import { Paced } from './paced.ts';

test('the first wish is granted at once, those that follow together after the interval', () => {
  const clock = new ManualClock();
  let times = 0;
  const paced = new Paced(1_000, clock, () => {
    times++;
  });
  for (let wish = 0; wish < 3; wish++) paced.want();
  assert.deepEqual([times, clock.pending], [1, 1]);
  clock.advance(999);
  assert.equal(times, 1);
  clock.advance(1);
  assert.deepEqual([times, clock.pending], [2, 0]);
  clock.advance(1_000);
  paced.want();
  assert.deepEqual([times, clock.pending], [3, 0]);
});
