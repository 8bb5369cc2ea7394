/**
 * What became of a transaction in the cut that executed its block.
 */
import { type Static, Type } from 'typebox';
import { Atoms, Height, Identifier } from '../base/scalars.ts';

export const OutcomeKind = Type.Union([
  Type.Literal('finalized'),
  Type.Literal('skipped'),
  Type.Literal('expired'),
  Type.Literal('not_yet_valid'),
  Type.Literal('conflict'),
  Type.Literal('unknown_input'),
  Type.Literal('invalid'),
  Type.Literal('no_effect'),
]);

const OUTCOME_FIELDS = {
  transaction_id: Identifier,
  block_id: Identifier,
  outcome: OutcomeKind,
  reason: Type.Optional(Type.String({ description: 'Why it is invalid or has no effect.' })),
  fee: Atoms,
};

export const CutTransaction = Type.Object(OUTCOME_FIELDS);
export type CutTransaction = Static<typeof CutTransaction>;

export const RecentTransaction = Type.Object({ finalized_height: Height, ...OUTCOME_FIELDS });
export type RecentTransaction = Static<typeof RecentTransaction>;
