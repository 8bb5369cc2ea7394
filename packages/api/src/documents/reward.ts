/**
 * What a work block earns. `paid` and `expired` are final. Blocks of one anchor that pay one address share an output:
 * the reward of each says its own part, and the amount of the output beside the outpoint.
 */
import { type Static, Type } from 'typebox';
import { ATOMS_PATTERN, Atoms } from '../base/scalars.ts';
import { Outpoint } from './references.ts';

export const RewardState = Type.Union([
  Type.Literal('waiting'),
  Type.Literal('registered'),
  Type.Literal('paid'),
  Type.Literal('expired'),
]);
export type RewardState = Static<typeof RewardState>;

export const RewardAmount = Type.String({
  pattern: ATOMS_PATTERN,
  description:
    'What the block earned, in atoms. Blocks of one anchor that pay one address share an output: this is one ' +
    'part of its amount, so count rewards by block and outputs once.',
});

export const OutputAmount = Type.String({
  pattern: ATOMS_PATTERN,
  description:
    'The amount of the output in atoms: the sum of the rewards of all blocks that name it.',
});

/** Amounts are null until the window of the anchor has closed. */
export const Reward = Type.Object({
  state: RewardState,
  share: Type.Union([Atoms, Type.Null()]),
  fees: Type.Union([Atoms, Type.Null()]),
  amount: Type.Union([RewardAmount, Type.Null()]),
  outpoint: Type.Union([Outpoint, Type.Null()]),
  output_amount: Type.Union([OutputAmount, Type.Null()]),
});
export type Reward = Static<typeof Reward>;
