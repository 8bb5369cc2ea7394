/**
 * What an amount would earn if it were delegated to a member of the committee: the stake half of the
 * running interval's emission, divided by the committee's stake with the amount added. Fees and
 * commission are left out, and nothing is promised.
 */
import type { EconomyRecord, EpochRecord } from '../records.ts';
import { halvesOf } from '../rules/halves.ts';

export interface StakingEstimate {
  readonly amount: bigint;
  /** Atoms for one interval, before commission. */
  readonly rewardPerDay: bigint;
  readonly committeeStake: bigint;
  readonly poolPerDay: bigint;
}

export function stakingEstimate(
  economy: EconomyRecord,
  epoch: EpochRecord,
  amount: bigint,
): StakingEstimate {
  const committeeStake = epoch.members.reduce((sum, { stake }) => sum + stake, 0n);
  const poolPerDay = halvesOf(economy.emission.intervalAmount).stake;
  const rewardPerDay = (poolPerDay * amount) / (committeeStake + amount);
  return { amount, rewardPerDay, committeeStake, poolPerDay };
}
