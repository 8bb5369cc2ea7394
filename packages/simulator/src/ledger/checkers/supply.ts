/**
 * Every atom that was minted is somewhere or burned: counted from the records of a state, not from its totals.
 */
import type { Checker } from '../../checkers/checker.ts';
import type { LedgerLevel } from '../ledger-level.ts';
import type { Replica } from '../replica.ts';

export function supply(level: LedgerLevel): Checker {
  return {
    atEnd(world) {
      for (const node of world.honest) {
        const fault = faultOf(level.replicaOf(node));
        if (fault !== undefined) world.fail('supply', `validator ${node.index}: ${fault}`);
      }
    },
  };
}

function faultOf({ state, economy }: Replica): string | undefined {
  let outputs = 0n;
  for (const [, { amount }] of state.records('outputs')) outputs += amount;
  let principal = 0n;
  for (const [, { bonded, unbonding }] of state.records('positions'))
    principal += unbonding.reduce((sum, { amount }) => sum + amount, bonded);
  // What a removal has burned of delegations is still written in them.
  const held = principal - economy.slashed;
  const found = outputs + held + economy.workReserve + economy.stakeReserve;
  const expected = economy.minted - economy.burned;
  if (outputs !== economy.outputs) return `outputs hold ${outputs}, the totals ${economy.outputs}`;
  return found === expected ? undefined : `${found} atoms where ${expected} should be`;
}
