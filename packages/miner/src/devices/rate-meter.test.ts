import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateMeter } from './rate-meter.ts';

test('a steady rate is reported exactly, whatever the window', () => {
  const meter = new RateMeter();
  for (let second = 0; second < 2_000; second++) {
    meter.add(300, second * 1_000 + 100);
    meter.add(200, second * 1_000 + 900);
  }
  for (const window of [10, 60, 900]) assert.equal(meter.rate(window, 2_000_000), 500);
  assert.equal(meter.total, 1_000_000);
});

test('a device that stands still falls to zero within the window and not before', () => {
  const meter = new RateMeter();
  for (let second = 0; second < 100; second++) meter.add(1_000, second * 1_000);
  assert.equal(meter.rate(10, 100_000), 1_000);
  assert.equal(meter.rate(10, 105_000), 500);
  assert.equal(meter.rate(10, 110_000), 0);
  assert.equal(meter.rate(60, 110_000), (50 * 1_000) / 60);
});

test('before a window has passed, the time that has passed counts', () => {
  const meter = new RateMeter();
  assert.equal(meter.rate(60, 0), 0);
  meter.add(600, 10_500);
  assert.equal(meter.rate(60, 10_900), 0);
  meter.add(600, 11_500);
  assert.equal(meter.rate(60, 12_100), 600);
});
