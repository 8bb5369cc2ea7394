import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestChain } from '../../test/testing/test-chain.ts';
import { checkCut } from '../check-cut.ts';
import { earliestMillis, paceBaseAfter, shortestMillis } from './pace.ts';

const at = (timeMillis: number) => ({
  ...new TestChain().economy,
  paceMillis: 2_500,
  paceBaseMillis: 0,
  height: 100,
  timeMillis,
});

test('a cut is due 2.5 seconds after the one before, if that was on time', () => {
  assert.equal(earliestMillis(at(250_000)), 252_500);
});

test('lateness is made good by distances of one second', () => {
  assert.equal(earliestMillis(at(251_000)), 252_500);
  assert.equal(earliestMillis(at(251_500)), 252_500);
  assert.equal(earliestMillis(at(251_501)), 252_501);
  assert.equal(earliestMillis(at(850_000)), 851_000);
});

const SHORTEST: readonly [number, number][] = [
  [100, 100],
  [500, 500],
  [1_000, 1_000],
  [1_001, 1_000],
  [2_500, 1_000],
  [2_505, 1_002],
  [5_000, 2_000],
];
for (const [pace, shortest] of SHORTEST)
  test(`at a pace of ${pace} ms cuts are at least ${shortest} ms apart`, () => {
    assert.equal(shortestMillis(pace), shortest);
    const late = { ...at(100_000 * pace), paceMillis: pace };
    assert.equal(earliestMillis(late), 100_000 * pace + shortest);
  });

test('what is more than ten minutes late is abandoned', () => {
  assert.equal(paceBaseAfter(at(850_000)), 0);
  assert.equal(paceBaseAfter(at(850_001)), 1);
  assert.equal(paceBaseAfter(at(10_000_000)), 9_150_000);
});

test('a cut may carry its earliest time and none before', () => {
  const chain = new TestChain();
  chain.cut();
  const input = chain.input();
  const timeMillis = earliestMillis(chain.economy);
  const faultAt = (millis: number) =>
    checkCut(chain.parameters, chain.state, { ...input, timeMillis: millis });
  assert.equal(faultAt(timeMillis), null);
  assert.deepEqual(faultAt(timeMillis - 1), { part: 'time' });
});
