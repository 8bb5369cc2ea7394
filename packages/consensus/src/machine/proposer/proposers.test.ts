import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createValidatorSet } from '../base/validator-set.ts';
import { eligibleProposers } from './eligibility.ts';
import { createProposerTable, proposerOrder } from './proposer-table.ts';

test('turns are in proportion to stake, within one turn, at every length', () => {
  const stakes = [5n, 1n, 1n, 3n];
  const set = createValidatorSet('set', stakes);
  const table = createProposerTable(set, 500);
  const turns = [0, 0, 0, 0];
  table.forEach((index, at) => {
    turns[index] = (turns[index] as number) + 1;
    turns.forEach((count, member) => {
      const share = (Number(stakes[member]) / 10) * (at + 1);
      assert.ok(Math.abs(count - share) < 2, `validator ${member} after ${at + 1} cuts: ${count}`);
    });
  });
  assert.deepEqual(turns, [250, 50, 50, 150]);
});

test('the turns are smooth and ties go to the lower index', () => {
  const table = createProposerTable(createValidatorSet('set', [5n, 1n, 1n]), 7);
  assert.deepEqual([...table], [0, 0, 1, 0, 2, 0, 0]);
  assert.deepEqual(
    [...createProposerTable(createValidatorSet('set', [1n, 1n, 1n]), 6)],
    [0, 1, 2, 0, 1, 2],
  );
});

test('rounds go through the distinct eligible validators in table order', () => {
  const table = Uint8Array.from([0, 0, 1, 0, 2, 0, 0]);
  assert.deepEqual(
    proposerOrder(table, 0, () => true),
    [0, 1, 2],
  );
  assert.deepEqual(
    proposerOrder(table, 4, () => true),
    [2, 0, 1],
  );
  assert.deepEqual(
    proposerOrder(table, 2, (index) => index !== 1),
    [0, 2],
  );
});

test('who signed none of the span is passed over, unless that leaves no quorum', () => {
  const set = createValidatorSet('set', [1n, 1n, 1n, 1n]);
  const span = (bitmap: bigint) => new Array<bigint>(32).fill(bitmap);
  assert.equal(eligibleProposers(set, span(0b0111n)), 0b0111n);
  assert.equal(eligibleProposers(set, [...span(0b0111n).slice(1), 0b1111n]), 0b1111n);
  assert.equal(eligibleProposers(set, span(0b0011n)), 0b1111n, 'half of the stake');
  assert.equal(eligibleProposers(set, span(0b0111n).slice(1)), 0b1111n, '31 cuts are no span');
  assert.equal(eligibleProposers(set, [0b1111n, ...span(0b0111n)]), 0b0111n, 'older than the span');
});
