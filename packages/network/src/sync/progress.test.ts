import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgressMeter } from './progress.ts';

test('progress reports height, target, rate and time left', () => {
  const meter = new ProgressMeter();
  const first = { height: 100, targetHeight: 400, cutsPerSecond: 0, secondsLeft: null };
  assert.deepEqual(meter.measure(100, 400, 5_000), first);
  const second = { height: 150, targetHeight: 400, cutsPerSecond: 25, secondsLeft: 10 };
  assert.deepEqual(meter.measure(150, 400, 7_000), second);
  const last = { height: 400, targetHeight: 400, cutsPerSecond: 100, secondsLeft: 0 };
  assert.deepEqual(meter.measure(400, 400, 8_000), last);
});

test('the rate is that of the last half minute, and of nothing before a reset', () => {
  const meter = new ProgressMeter();
  for (let second = 0; second < 40; second++) meter.measure(second < 10 ? 0 : 30, 30, second * 1e3);
  assert.equal(meter.measure(59, 60, 40e3).cutsPerSecond, 1);
  meter.reset();
  assert.equal(meter.measure(59, 60, 41e3).secondsLeft, null);
});
