/**
 * A finalized cut, as `/v1/events` and the topic `cuts` tell of it.
 */
import { type Static, Type } from 'typebox';
import {
  Address,
  ApiVersion,
  ATOMS_PATTERN,
  Atoms,
  Count,
  Identifier,
  Millis,
  OutputIndex,
} from '../base/scalars.ts';
import { CutReference } from '../documents/references.ts';
import { OutputAmount, RewardAmount } from '../documents/reward.ts';

/** A work reward that was paid; one output may pay several blocks of an address. */
export const CutReward = Type.Object({
  block_id: Identifier,
  transaction_id: Identifier,
  output_index: OutputIndex,
  amount: RewardAmount,
  output_amount: OutputAmount,
});
export type CutReward = Static<typeof CutReward>;

export const CutStakePayout = Type.Object({
  position: Identifier,
  validator: Identifier,
  epoch: Count,
  address: Address,
  transaction_id: Identifier,
  output_index: OutputIndex,
  amount: Atoms,
});
export type CutStakePayout = Static<typeof CutStakePayout>;

const StakeRewards = Type.String({
  pattern: ATOMS_PATTERN,
  description: 'The sum of the stake payouts, in atoms.',
});

/** The first event of `/v1/events`: the finalized head when the client connected. */
export const Checkpoint = Type.Object({ api_version: ApiVersion, cut: CutReference });
export type Checkpoint = Static<typeof Checkpoint>;

/** A finalized cut as `/v1/events` tells of it. */
export const CutFinalized = Type.Object({
  api_version: ApiVersion,
  cut: CutReference,
  registered_work: Type.Integer({ minimum: 0, description: 'Blocks that the cut registered.' }),
  executed_work: Type.Integer({ minimum: 0, description: 'Blocks that the cut executed.' }),
  rewards: Type.Array(CutReward),
  stake_rewards: StakeRewards,
  stake_payouts: Type.Array(CutStakePayout),
});
export type CutFinalized = Static<typeof CutFinalized>;

/** A finalized cut as the topic `cuts` tells of it. */
export const CutEvent = Type.Object({
  cut: CutReference,
  registered_blocks: Type.Integer({ minimum: 0, description: 'Blocks that the cut registered.' }),
  executed_blocks: Type.Integer({ minimum: 0, description: 'Blocks that the cut executed.' }),
  rewards: Type.Array(CutReward),
  stake_rewards: StakeRewards,
  finalized_at_millis: Millis,
});
export type CutEvent = Static<typeof CutEvent>;
