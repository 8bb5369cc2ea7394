/**
 * Rules of stake broken on purpose. `seed` is the first one whose small run finds it.
 */
import type { RuleMutant } from '../testing/mutated.ts';

export interface StakeMutant extends RuleMutant {
  readonly seed: number;
  /** The checker that finds it. */
  readonly checker: string;
}

export const STAKE_MUTANTS: readonly StakeMutant[] = [
  {
    name: 'dustBonded',
    breaks: 'a delegation may hold as little as it likes',
    file: 'rules/bond.ts',
    piece: 'amount < context.parameters.positionMin',
    becomes: 'amount < 1n',
    seed: 1,
    checker: 'ledger',
  },
  {
    name: 'poolDropped',
    breaks: 'a pool is ended after its first cut and the rest carried on',
    file: 'rules/stake-payout.ts',
    piece: 'if (pool.memberIndex < pool.members.length)',
    becomes: 'if (pool.memberIndex < 0)',
    seed: 1,
    checker: 'everyPositionPaid',
  },
  {
    name: 'memberSkipped',
    breaks: 'a cut that may pay no more goes on with the next member',
    file: 'rules/stake-payout.ts',
    piece: '  return false;\n}',
    becomes: '  return true;\n}',
    seed: 3,
    checker: 'everyPositionPaid',
  },
  {
    name: 'everyDelegationVisited',
    breaks: 'a removal looks at each delegation',
    file: 'rules/equivocation.ts',
    piece: 'const slashed = slashableOf(context, ended);',
    becomes: `const slashed = context.state
      .positionIdsOf(validatorId, null, 1e9)
      .map((id) => context.state.get('positions', id))
      .reduce((sum, position) => sum + (position === undefined ? 0n : 0n), slashableOf(context, ended));`,
    seed: 14,
    checker: 'workBudget',
  },
  {
    name: 'slashForgotten',
    breaks: 'delegators of a removed validator get everything back',
    file: 'rules/positions.ts',
    piece: 'burned: isHit ? slashOf(part.amount) : 0n',
    becomes: 'burned: isHit ? 0n : 0n',
    seed: 1,
    checker: 'positions',
  },
  {
    name: 'slashedForEver',
    breaks: 'what can be withdrawn already still counts as slashable',
    file: 'rules/slashable.ts',
    piece: 'validator.slashableUnbonding - amount',
    becomes: 'validator.slashableUnbonding - 0n * amount',
    seed: 6,
    checker: 'totals',
  },
  {
    name: 'unbondedNotSlashed',
    breaks: 'what unbonds is forgotten when its validator is removed',
    file: 'rules/slashable.ts',
    piece: 'slashableUnbonding + amount,',
    becomes: 'slashableUnbonding + 0n * amount,',
    seed: 1,
    checker: 'totals',
  },
  {
    name: 'freePartsSlashed',
    breaks: 'a slash also meets what could be withdrawn before it',
    file: 'rules/positions.ts',
    piece: 'part.releaseHeight > validator.removedHeight',
    becomes: 'part.releaseHeight > 0',
    seed: 1,
    checker: 'withdrawals',
  },
  {
    name: 'removedForgotten',
    breaks: 'a removed validator leaves the state with its last position',
    file: 'rules/positions.ts',
    piece: "left.positionCount === 0 && left.status !== 'removed'",
    becomes: 'left.positionCount === 0',
    seed: 19,
    checker: 'validators',
  },
  {
    name: 'ownBondNotCounted',
    breaks: 'the record of a removal counts the burned part of delegations alone',
    file: 'rules/equivocation.ts',
    piece: 'removalBurned: burned',
    becomes: 'removalBurned: slashed',
    seed: 1,
    checker: 'validators',
  },
];
