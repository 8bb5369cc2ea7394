import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestChain } from '../../test/testing/test-chain.ts';
import { earliestMillis, paceBaseAfter } from './pace.ts';

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

test('what is more than ten minutes late is given up', () => {
  assert.equal(paceBaseAfter(at(850_000)), 0);
  assert.equal(paceBaseAfter(at(850_001)), 1);
  assert.equal(paceBaseAfter(at(10_000_000)), 9_150_000);
});
