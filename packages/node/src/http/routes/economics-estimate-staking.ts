/** `GET /v1/economics/estimate/staking`. */
import type { ROUTES } from 'svc-api';
import { MAX_SUPPLY, stakingEstimate } from 'svc-ledger';
import { Refused } from '../../refusal/refused.ts';
import type { Handler } from './handler.ts';

export const economicsEstimateStaking: Handler<typeof ROUTES.economicsEstimateStaking> = (
  { readers },
  { query },
) => {
  const amount = BigInt(query.amount);
  if (amount > MAX_SUPPLY) {
    throw new Refused('bad_amount', `expected at most ${MAX_SUPPLY} atoms`, { path: 'amount' });
  }
  return readers.read(async ({ reader, height }) => {
    const estimate = stakingEstimate(await reader.economy(), await reader.epoch(), amount);
    const document = {
      api_version: 1,
      finalized_height: height,
      amount: String(amount),
      reward_per_day: String(estimate.rewardPerDay),
      committee_stake: String(estimate.committeeStake),
      pool_per_day: String(estimate.poolPerDay),
    } as const;
    return { height, document };
  });
};
