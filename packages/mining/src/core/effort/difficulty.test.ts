import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { difficultyOf, sharedTargetOf, targetBytes, targetNumber, targetOf } from './difficulty.ts';

const HASHES = 1n << 256n;
const target = fc.bigInt({ min: 0n, max: HASHES - 1n });

test('a target is the same number in bytes', () => {
  fc.assert(
    fc.property(target, (number) => {
      assert.equal(targetNumber(targetBytes(number)), number);
    }),
  );
  assert.throws(() => targetBytes(HASHES), RangeError);
  assert.throws(() => targetBytes(-1n), RangeError);
});

test('the target of a difficulty takes at least that many hashes, and the next easier one fewer', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 1n << 200n }), (difficulty) => {
      const number = targetNumber(targetOf(difficulty));
      // Hashes for each one that meets the target: 2^256 / (target + 1), compared without dividing.
      assert.ok(HASHES >= difficulty * (number + 1n));
      assert.ok(HASHES < difficulty * (number + 2n));
      assert.ok(difficultyOf(targetOf(difficulty)) >= difficulty);
    }),
  );
});

test('a harder target never has a lower difficulty', () => {
  fc.assert(
    fc.property(target, target, (a, b) => {
      const [hard, easy] = a < b ? [a, b] : [b, a];
      assert.ok(difficultyOf(targetBytes(hard)) >= difficultyOf(targetBytes(easy)));
    }),
  );
  assert.equal(difficultyOf(targetBytes(HASHES - 1n)), 1n);
  assert.equal(difficultyOf(targetBytes(0n)), HASHES);
  assert.throws(() => targetOf(0n), RangeError);
});

test('sessions of one difficulty share a target, also when many others came between', () => {
  const first = sharedTargetOf(1_000n);
  assert.equal(sharedTargetOf(1_000n), first);
  for (let difficulty = 1n; difficulty < 5_000n; difficulty++)
    assert.deepEqual(sharedTargetOf(difficulty), targetOf(difficulty));
  assert.deepEqual(sharedTargetOf(1_000n), first);
});
