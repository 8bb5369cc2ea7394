import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestChain } from '../../test/testing/test-chain.ts';
import { applyCut } from '../apply-cut.ts';
import { LedgerAssertionError } from '../assertion.ts';
import { MAX_SUPPLY } from '../parameters.ts';
import { SINGLE_KEY } from '../records.ts';
import { assertTreeSums, assertValueEquation } from './value-equation.ts';

const fields = [
  'outputs',
  'bonded',
  'unbonding',
  'workReserve',
  'stakeReserve',
  'burned',
  'minted',
] as const;

test('[ECON-20] the value equation is checked by every cut: one atom too many stops the node', () => {
  for (const field of fields) {
    const chain = new TestChain();
    chain.runTo(3);
    const { economy } = chain;
    assertValueEquation(economy);
    const wrong = { ...economy, [field]: economy[field] + 1n };
    assert.throws(() => assertValueEquation(wrong), LedgerAssertionError, field);
    chain.state.apply([{ table: 'economy', key: SINGLE_KEY, before: economy, after: wrong }]);
    assert.throws(
      () => applyCut(chain.ports, chain.state, chain.input()),
      LedgerAssertionError,
      field,
    );
  }
});

test('[ECON-20] atoms that only change places in the totals are found by the sums of the trees', () => {
  const chain = new TestChain();
  chain.runTo(3);
  const { economy } = chain;
  const { roots } = chain.trees;
  assertTreeSums(economy, roots);
  const moved = { ...economy, outputs: economy.outputs - 1n, burned: economy.burned + 1n };
  assertValueEquation(moved);
  assert.throws(() => assertTreeSums(moved, roots), LedgerAssertionError);
  const unbound = { ...economy, bonded: economy.bonded - 1n, unbonding: economy.unbonding + 1n };
  assertValueEquation(unbound);
  assert.throws(() => assertTreeSums(unbound, roots), LedgerAssertionError);
});

test('amounts below zero and more than the maximum supply are found', () => {
  const { economy } = new TestChain();
  const negative = { ...economy, burned: -1n, outputs: economy.outputs + 1n };
  assert.throws(() => assertValueEquation(negative), LedgerAssertionError);
  const beyond = { ...economy, minted: MAX_SUPPLY + 1n };
  const held = { ...beyond, outputs: economy.outputs + MAX_SUPPLY + 1n - economy.minted };
  assert.throws(() => assertValueEquation(held), /maximum supply/);
});
