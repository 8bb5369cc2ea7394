/**
 * The reward of a work block as documents show it.
 */
import type { Reward } from 'svc-api';
import { blockRewardState } from 'svc-ledger';
import type { WorkReward } from 'svc-storage';
import { outpointDocument } from './output-documents.ts';

export interface RewardFacts {
  readonly anchorHeight: number;
  readonly registeredHeight: number | null;
  readonly reward: WorkReward | null;
}

export function rewardDocument(facts: RewardFacts, finalizedHeight: number): Reward {
  const { reward } = facts;
  const output = reward?.outpoint ?? null;
  return {
    state: blockRewardState(facts, finalizedHeight),
    share: reward === null ? null : String(reward.share),
    fees: reward === null ? null : String(reward.fees),
    amount: reward === null ? null : String(reward.amount),
    outpoint: output === null ? null : outpointDocument(output),
    output_amount: output === null ? null : String(reward?.outputAmount),
  };
}
