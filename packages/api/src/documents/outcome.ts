/**
 * What became of a transaction in the cut that executed its block.
 */
import { type Static, Type } from 'typebox';
import { Address, Atoms, Height, Identifier } from '../base/scalars.ts';

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

export const CutTransaction = Type.Object({
  ...OUTCOME_FIELDS,
  note_hash: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{96}$',
      description: 'Hash of the payload of an executed transaction that has one.',
    }),
  ),
  payers: Type.Array(Address, {
    description:
      'The addresses whose outputs an executed transaction has spent, ascending by their bytes. With the other fields but block and reason they are the leaf of the outcome root.',
  }),
});
export type CutTransaction = Static<typeof CutTransaction>;

export const RecentTransaction = Type.Object({ finalized_height: Height, ...OUTCOME_FIELDS });
export type RecentTransaction = Static<typeof RecentTransaction>;
