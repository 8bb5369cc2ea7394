/**
 * Finalized cuts as documents. A cut that was just committed and one that is read from the store give the
 * same document.
 */
import type { CutEvent, CutFinalized, CutReference, CutReward, CutStakePayout } from 'svc-api';
import type { BlockReward, StakePayout } from 'svc-ledger';
import type { CutSummary } from 'svc-storage';
import type { FinalizedCut } from '../ports/chain.ts';
import type { Addresses } from './addresses.ts';
import { referenceOf } from './cut-documents.ts';

export type CutOutline = Pick<
  CutSummary,
  'registeredWork' | 'executedWork' | 'rewards' | 'stakePayouts'
>;

export function outlineOf({ input, result }: FinalizedCut): CutOutline {
  return {
    registeredWork: input.registered.length,
    executedWork: input.executed.length,
    rewards: result.events.rewards,
    stakePayouts: result.events.stakePayouts,
  };
}

/** For `/v1/events`. */
export function cutFinalized(
  cut: CutReference,
  outline: CutOutline,
  addresses: Addresses,
): CutFinalized {
  return {
    api_version: 1,
    cut,
    registered_work: outline.registeredWork,
    executed_work: outline.executedWork,
    rewards: rewardsOf(outline.rewards),
    stake_rewards: sumOf(outline.stakePayouts),
    stake_payouts: outline.stakePayouts.map((payout) => stakePayout(payout, addresses)),
  };
}

/** For the topic `cuts`. */
export function cutEvent(finalized: FinalizedCut): CutEvent {
  const outline = outlineOf(finalized);
  return {
    cut: referenceOf(finalized.height, finalized.cutId, finalized.header),
    registered_blocks: outline.registeredWork,
    executed_blocks: outline.executedWork,
    rewards: rewardsOf(outline.rewards),
    stake_rewards: sumOf(outline.stakePayouts),
    finalized_at_millis: finalized.finalizedAtMillis,
  };
}

/** A block to which nothing is due has no output and is left out. */
function rewardsOf(rewards: readonly BlockReward[]): CutReward[] {
  return rewards.flatMap(({ blockId, outpoint, amount, outputAmount }) =>
    outpoint === null
      ? []
      : [
          {
            block_id: blockId,
            transaction_id: outpoint.transactionId,
            output_index: outpoint.outputIndex,
            amount: amount.toString(),
            output_amount: outputAmount.toString(),
          },
        ],
  );
}

function sumOf(payouts: readonly StakePayout[]): string {
  return payouts.reduce((sum, { amount }) => sum + amount, 0n).toString();
}

function stakePayout(payout: StakePayout, addresses: Addresses): CutStakePayout {
  return {
    position: payout.positionId,
    validator: payout.validatorId,
    epoch: payout.epoch,
    address: addresses.text(payout.address),
    transaction_id: payout.outpoint.transactionId,
    output_index: payout.outpoint.outputIndex,
    amount: payout.amount.toString(),
  };
}
