/**
 * Fairness of the proposer table for committees of every shape, over a whole epoch.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  createProposerTable,
  createValidatorSet,
  EPOCH_CUTS,
  eligibleProposers,
  isBitSet,
  proposerOrder,
} from '../../../src/machine/index.ts';

const stakes = fc.oneof(
  fc.array(fc.bigInt({ min: 1n, max: 10n }), { minLength: 1, maxLength: 64 }),
  fc.array(fc.bigInt({ min: 1n, max: 20_000_000_000_000n }), { minLength: 1, maxLength: 64 }),
);

test('no validator is a whole turn ahead of its share, nor two behind, after any number of cuts', () => {
  fc.assert(
    fc.property(stakes, (each) => {
      const set = createValidatorSet('set', each);
      const turns = each.map(() => 0n);
      createProposerTable(set, 300).forEach((index, cut) => {
        turns[index] = (turns[index] as bigint) + 1n;
        each.forEach((stake, member) => {
          const ahead = (turns[member] as bigint) * set.totalStake - stake * BigInt(cut + 1);
          assert.ok(ahead < set.totalStake && ahead > -2n * set.totalStake);
        });
      });
    }),
    { numRuns: 60 },
  );
});

test('the table of an epoch is a pure function of the stakes', () => {
  const each = Array.from({ length: 64 }, (_, index) => BigInt(1 + ((index * 7919) % 1000)));
  const table = createProposerTable(createValidatorSet('set', each));
  assert.equal(table.length, EPOCH_CUTS);
  createProposerTable(createValidatorSet('other', [3n, 1n]));
  assert.deepEqual(createProposerTable(createValidatorSet('another name', each)), table);
  assert.ok(each.every((_, index) => table.includes(index)));
});

test('every height has every eligible validator once in its order, and no other', () => {
  const set = createValidatorSet('set', [7n, 5n, 3n, 2n, 1n, 1n]);
  const table = createProposerTable(set, 1000);
  const signers = new Array<bigint>(32).fill(0b011011n);
  const eligible = eligibleProposers(set, signers);
  for (let cut = 0; cut < 1000; cut++) {
    const order = proposerOrder(table, cut, (index) => isBitSet(eligible, index));
    assert.deepEqual([...order].sort(), [0, 1, 3, 4]);
    const turn = table[cut] as number;
    if (isBitSet(eligible, turn)) assert.equal(order[0], turn);
  }
});
