/**
 * Whose turn it is to propose: smooth weighted round robin over an epoch. Every validator's priority
 * grows by its stake, the largest priority gets the cut and pays the total; ties go to the lower
 * index. Priorities start at zero each epoch.
 */
import type { ValidatorIndex } from '../base/types.ts';
import type { ValidatorSet } from '../base/validator-set.ts';

export const EPOCH_CUTS = 34_560;

/** One byte per cut of the epoch: the index of its first proposer. */
export function createProposerTable(set: ValidatorSet, cuts: number = EPOCH_CUTS): Uint8Array {
  const table = new Uint8Array(cuts);
  const priorities = set.stakes.map(() => 0n);
  for (let cut = 0; cut < cuts; cut++) {
    let chosen = 0;
    for (let index = 0; index < priorities.length; index++) {
      const priority = (priorities[index] as bigint) + (set.stakes[index] as bigint);
      priorities[index] = priority;
      if (priority > (priorities[chosen] as bigint)) chosen = index;
    }
    priorities[chosen] = (priorities[chosen] as bigint) - set.totalStake;
    table[cut] = chosen;
  }
  return table;
}

/**
 * The proposers of one height, round by round: the distinct eligible validators in table order
 * from the height's own entry on.
 */
export function proposerOrder(
  table: Uint8Array,
  cutOfEpoch: number,
  isEligible: (index: ValidatorIndex) => boolean,
): ValidatorIndex[] {
  const order: ValidatorIndex[] = [];
  const seen = new Set<ValidatorIndex>();
  for (let at = 0; at < table.length; at++) {
    const index = table[(cutOfEpoch + at) % table.length] as ValidatorIndex;
    if (seen.has(index)) continue;
    seen.add(index);
    if (isEligible(index)) order.push(index);
  }
  return order;
}
