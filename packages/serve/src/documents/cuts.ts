/**
 * Cuts and the rewards of their blocks as documents show them. A cut that was just committed and one that is read from
 * the store give the same document.
 */
import type {
  CutEvent,
  CutFinalized,
  CutReference,
  CutReward,
  CutStakePayout,
  CutSummary as CutSummaryDocument,
  Reward,
} from 'svc-api';
import { type BlockReward, blockRewardState, type StakePayout } from 'svc-ledger';
import type { ChainReader, CutRow, CutSummary, WorkReward } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { type CutHeader, decodeCutHeader } from 'svc-wasm/protocol';
import type { FinalizedCut } from '../ports.ts';
import { Refused } from '../refusal.ts';
import type { Addresses } from './addresses.ts';
import { outpointDocument } from './transactions.ts';

export function cutReference({ height, cutId, header }: CutRow): CutReference {
  return referenceOf(height, cutId, decodeCutHeader(header));
}

export function referenceOf(height: number, cutId: string, header: CutHeader): CutReference {
  return {
    height,
    cut_id: cutId,
    state_root: toHex(header.stateRoot),
    validator_set_id: toHex(header.validatorSetId),
  };
}

/** The reference of a cut that may not be final yet. */
export async function referenceAt(
  reader: ChainReader,
  height: number,
): Promise<CutReference | null> {
  const row = height > reader.head.height ? undefined : await reader.cut(height);
  return row === undefined ? null : cutReference(row);
}

/** `summary` is absent where the node no longer keeps what the cut did. */
export function cutSummary(
  { height, cutId }: CutRow,
  header: CutHeader,
  summary: CutSummary | undefined,
): CutSummaryDocument {
  return {
    ...referenceOf(height, cutId, header),
    time_millis: Number(header.time),
    proposer: header.proposer,
    registered_work: header.registeredCount,
    executed_work: summary?.executedWork ?? null,
    transactions: summary?.transactions ?? null,
  };
}

/** Refuses a height whose cut is not here, and says why. */
export function expectKept(reader: ChainReader, height: number, from: number): void {
  const head = reader.head.height;
  if (height > head) {
    throw new Refused('not_yet', `expected a height up to ${head}`, { path: 'height' });
  }
  if (height !== 0 && height < from) {
    const { mode, firstHeight } = reader.retention;
    const reason =
      height >= firstHeight
        ? 'this node has earlier cuts, but no lists of what they did'
        : mode === 'pruned'
          ? 'this node does not keep earlier cuts'
          : 'this node is still fetching earlier cuts';
    throw new Refused('not_kept', `expected a height from ${from}: ${reason}`, { path: 'height' });
  }
}

/** The row of a finalized cut; refuses height 0, since the genesis is no cut. */
export async function expectCut(reader: ChainReader, height: number): Promise<CutRow> {
  expectKept(reader, height, reader.retention.firstHeight);
  const row = await reader.cut(height);
  if (row !== undefined) return row;
  throw new Refused('not_found', 'there is no cut at this height', { path: 'height' });
}

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
