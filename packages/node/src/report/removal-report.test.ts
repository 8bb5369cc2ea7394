import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { RemovalReport } from './validator-report.ts';

test('removals count for two epochs, and the stake of removed members until their epoch ends', async (t) => {
  const chain = await ChainFixture.create({ validators: 6 });
  t.after(() => chain.close());
  const { interval } = chain.parameters;
  const report = new RemovalReport(chain);
  assert.deepEqual(report.figures, { recent: 0, committeeShare: 0 });
  await chain.runTo(10);
  await chain.cut([], [chain.contradiction(3, 1)]);
  assert.deepEqual(report.figures, { recent: 1, committeeShare: 1 / 6 });
  await chain.cut([], [chain.contradiction(4, 2), chain.contradiction(4, 5)]);
  assert.deepEqual(report.figures, { recent: 3, committeeShare: 1 / 2 });
  await chain.runTo(interval - 1);
  assert.deepEqual(report.figures, { recent: 3, committeeShare: 1 / 2 });
  // The last cut of an epoch forms the next committee.
  await chain.runTo(interval);
  assert.deepEqual(report.figures, { recent: 3, committeeShare: 0 });
  await chain.runTo(2 * interval - 1);
  assert.deepEqual(report.figures, { recent: 3, committeeShare: 0 });
  await chain.runTo(2 * interval);
  assert.deepEqual(report.figures, { recent: 0, committeeShare: 0 });
});
