import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bitOf,
  createValidatorSet,
  hasHonest,
  isQuorum,
  isWithinSet,
  membersOf,
  stakeOfBitmap,
} from './validator-set.ts';

test('the thresholds are 3x > 2W and 3x > W, for every stake of every small total', () => {
  for (let total = 1n; total <= 40n; total++) {
    const set = createValidatorSet('set', [total]);
    for (let stake = 0n; stake <= total; stake++) {
      assert.equal(isQuorum(set, stake), 3n * stake > 2n * total, `${stake} of ${total}`);
      assert.equal(hasHonest(set, stake), 3n * stake > total, `${stake} of ${total}`);
    }
  }
});

test('stake beyond 2^53 is counted exactly', () => {
  const huge = 3n * 2n ** 60n;
  const set = createValidatorSet('set', [huge - 1n, 1n]);
  assert.equal(isQuorum(set, 2n ** 61n), false);
  assert.equal(isQuorum(set, 2n ** 61n + 1n), true);
});

test('bitmaps name members from the lowest bit to the 64th', () => {
  const all = Array.from({ length: 64 }, (_, index) => index);
  assert.deepEqual(membersOf(2n ** 64n - 1n), all);
  assert.deepEqual(membersOf(bitOf(0) | bitOf(31) | bitOf(32) | bitOf(63)), [0, 31, 32, 63]);
  const set = createValidatorSet('set', [1n, 2n, 4n]);
  assert.equal(stakeOfBitmap(set, 0b101n), 5n);
  assert.equal(isWithinSet(set, 0b111n), true);
  assert.equal(isWithinSet(set, 0b1000n), false);
  assert.throws(() => stakeOfBitmap(set, 0b1000n), { code: 'bitmap_outside_set' });
});

test('a set has 1 to 64 validators with stake', () => {
  assert.throws(() => createValidatorSet('set', []), RangeError);
  assert.throws(() => createValidatorSet('set', new Array(65).fill(1n)), RangeError);
  assert.throws(() => createValidatorSet('set', [1n, 0n]), RangeError);
});
