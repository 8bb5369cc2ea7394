import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isHonestMinority, isQuorum, signerIndexes, signersOf } from './signers.ts';

test('a bitmap and the indexes of its bits say the same', () => {
  for (const indexes of [[], [0], [31], [32], [63], [0, 31, 32, 63]]) {
    assert.deepEqual(signerIndexes(signersOf(indexes)), indexes);
  }
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (signers) => {
      const indexes = signerIndexes(signers);
      assert.equal(signersOf(indexes), signers);
      assert.deepEqual(
        indexes,
        indexes.toSorted((a, b) => a - b),
      );
    }),
    { numRuns: 300, seed: 5 },
  );
});

test('two thirds are no quorum and one third no honest minority; one atom more is', () => {
  assert.ok(!isQuorum(6n, 9n) && isQuorum(7n, 9n) && isQuorum(7n, 10n) && !isQuorum(6n, 10n));
  assert.ok(!isHonestMinority(3n, 9n) && isHonestMinority(4n, 9n) && !isHonestMinority(3n, 10n));
  assert.ok(!isQuorum(0n, 1n) && isQuorum(1n, 1n));
});
