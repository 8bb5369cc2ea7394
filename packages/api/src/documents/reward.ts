/**
 * What a work block earns. `paid` and `expired` are final.
 */
import { type Static, Type } from 'typebox';
import { Atoms } from '../base/scalars.ts';
import { Outpoint } from './references.ts';

export const RewardState = Type.Union([
  Type.Literal('waiting'),
  Type.Literal('registered'),
  Type.Literal('paid'),
  Type.Literal('expired'),
]);
export type RewardState = Static<typeof RewardState>;

/** Amounts are null until the window of the anchor has closed. */
export const Reward = Type.Object({
  state: RewardState,
  share: Type.Union([Atoms, Type.Null()]),
  fees: Type.Union([Atoms, Type.Null()]),
  amount: Type.Union([Atoms, Type.Null()]),
  outpoint: Type.Union([Outpoint, Type.Null()]),
});
export type Reward = Static<typeof Reward>;
