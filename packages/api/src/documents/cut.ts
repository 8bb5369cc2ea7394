/**
 * A finalized cut: the short form that lists show, and the whole document.
 */
import { type Static, Type } from 'typebox';
import { Atoms, Count, Height, Hex, Identifier, Millis } from '../base/scalars.ts';
import { Outpoint } from './references.ts';
import { OutputAmount, RewardAmount } from './reward.ts';

const SUMMARY_FIELDS = {
  height: Height,
  cut_id: Identifier,
  state_root: Identifier,
  validator_set_id: Identifier,
  time_millis: Millis,
  proposer: Type.Integer({
    minimum: 0,
    description: 'Place of the first proposer in the validator set.',
  }),
  registered_work: Count,
  executed_work: Type.Union([Count, Type.Null()], {
    description: 'Null where the node no longer keeps what the cut did.',
  }),
  transactions: Type.Union([Count, Type.Null()]),
};

export const CutSummary = Type.Object(SUMMARY_FIELDS);
export type CutSummary = Static<typeof CutSummary>;

export const WorkRewardEntry = Type.Object({
  block_id: Identifier,
  amount: RewardAmount,
  outpoint: Type.Union([Outpoint, Type.Null()]),
  output_amount: Type.Union([OutputAmount, Type.Null()]),
});

export const StakePayoutEntry = Type.Object({
  position: Identifier,
  validator: Identifier,
  epoch: Count,
  amount: Atoms,
  outpoint: Outpoint,
});

export const BurnEntry = Type.Object({
  cause: Type.Union([Type.Literal('output'), Type.Literal('equivocation')]),
  id: Identifier,
  amount: Atoms,
});

export const CutDetails = Type.Object({
  ...SUMMARY_FIELDS,
  epoch: Count,
  parent_cut_id: Identifier,
  next_validator_set_id: Identifier,
  outcome_root: Identifier,
  /** Its hash is the id of the cut, and nodes keep it for ever. */
  header_hex: Type.Optional(Hex),
  work_target: Hex,
  previous_round: Count,
  previous_signers: Type.Array(Count, {
    description: 'Places, in the validator set, of those who signed the cut before.',
  }),
  changes: Type.Union([Count, Type.Null()]),
  rewards: Type.Array(WorkRewardEntry),
  stake_payouts: Type.Array(StakePayoutEntry),
  burns: Type.Array(BurnEntry),
});
export type CutDetails = Static<typeof CutDetails>;
