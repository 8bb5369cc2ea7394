import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import { ImportReport } from './import-report.ts';

test('an import tells its percentage every five seconds, and nothing in between', () => {
  const clock = new ManualClock(0);
  const told: number[] = [];
  const report = new ImportReport(clock, (percent) => void told.push(percent));
  report.report(0.1, 0);
  assert.deepEqual(told, []);
  for (const [read, placed] of [
    [0.3, 0],
    [0.9, 0],
    [1, 0.5],
    [1, 1],
  ] as const) {
    clock.advance(2_500);
    report.report(read, placed);
  }
  assert.deepEqual(told, [45, 100]);
});
