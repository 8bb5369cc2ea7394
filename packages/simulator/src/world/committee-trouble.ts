/**
 * Why a committee that the ledger elected cannot be expected to decide, though what it did is checked all the same. Plans
 * draw faults below a third of the stake and an honest validator with a route; exits and jails can leave others.
 */
import type { Node } from '../node/node.ts';
import type { Plan } from '../plan/plan.ts';
import type { Chain } from './chain.ts';

interface Elected {
  readonly chain: Pick<Chain, 'trueEpoch'>;
  readonly nodes: readonly Pick<Node, 'index' | 'isKeyStopped'>[];
  readonly plan: Pick<Plan, 'byzantine' | 'restored' | 'unrouted'>;
}

/** Undefined if the committee of the height must decide it. */
export function committeeTrouble(
  { chain, nodes, plan }: Elected,
  height: number,
): string | undefined {
  const { set, holders } = chain.trueEpoch(height);
  // Who was restored from a backup stops for good where its key has signed what the copy does not remember.
  const isStopped = (validator: number): boolean =>
    validator === plan.restored &&
    nodes.every((node) => node.index !== validator || node.isKeyStopped);
  const isAble = (validator: number): boolean =>
    !plan.byzantine.has(validator) && !isStopped(validator);
  const stake = holders.reduce(
    (sum, validator, seat) => (isAble(validator) ? sum + (set.stakes[seat] as bigint) : sum),
    0n,
  );
  if (3n * stake <= 2n * set.totalStake) return `a third at height ${height} lies or has stopped`;
  const able = holders.filter(isAble);
  const isAlone = able.length > 1 && able.every((validator) => plan.unrouted.has(validator));
  return isAlone ? `no honest member at height ${height} has a route` : undefined;
}
