/**
 * The value equation: outputs + bonded + unbonding + work reserve + stake reserve + burned = minted.
 * It is checked after every cut, against the sums that the state trees themselves commit.
 */
import { invariant } from '../assertion.ts';
import type { TreeRoots } from '../commitment/trees.ts';
import { MAX_SUPPLY } from '../parameters.ts';
import type { EconomyRecord } from '../records.ts';

export function assertValueEquation(economy: EconomyRecord): void {
  const { outputs, bonded, unbonding, workReserve, stakeReserve, burned, minted } = economy;
  const parts = { outputs, bonded, unbonding, workReserve, stakeReserve, burned, minted };
  invariant(economy.slashed >= 0n && economy.slashed <= burned, 'more was slashed than burned');
  for (const [name, amount] of Object.entries(parts)) {
    invariant(amount >= 0n, `${name} fell below zero, to ${amount}`);
  }
  const held = outputs + bonded + unbonding + workReserve + stakeReserve + burned;
  invariant(held === minted, `cut ${economy.height} holds ${held} atoms of ${minted} minted`);
  invariant(minted <= MAX_SUPPLY, `${minted} atoms minted are more than the maximum supply`);
  invariant(economy.workCarry <= workReserve, 'more work is carried than reserved');
  invariant(economy.stakePool <= stakeReserve, 'the pool holds more than the stake reserve');
}

/**
 * The trees sum up to the totals: outputs, positions, and the stake of validators. Positions still hold what was burned of
 * them when their validator was removed.
 */
export function assertTreeSums(economy: EconomyRecord, roots: TreeRoots): void {
  const { outputs, bonded, unbonding, slashed } = economy;
  invariant(roots.outputs.sum === outputs, `the output tree sums to ${roots.outputs.sum}`);
  invariant(
    roots.positions.sum === bonded + unbonding + slashed,
    `the position tree sums to ${roots.positions.sum}, not ${bonded + unbonding + slashed}`,
  );
  invariant(roots.validators.sum === bonded, `the validator tree sums to ${roots.validators.sum}`);
}
