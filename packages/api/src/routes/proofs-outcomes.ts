/**
 * `POST /v1/proofs/outcomes`.
 */
import { type Static, Type } from 'typebox';
import { OUTCOME_PROOFS_MAX } from '../base/batch-limits.ts';
import { batchOf, versioned } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, FinalizedHeight, Height, Hex, Identifier } from '../base/scalars.ts';

export const ProofsOutcomesRequest = versioned({
  height: Height,
  transaction_ids: batchOf(Identifier, OUTCOME_PROOFS_MAX),
});
export type ProofsOutcomesRequest = Static<typeof ProofsOutcomesRequest>;

export const ProofsOutcomes = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  height: Height,
  cut_id: Identifier,
  proof_hex: Hex,
});
export type ProofsOutcomes = Static<typeof ProofsOutcomes>;

export const proofsOutcomes = defineRoute({
  name: 'proofsOutcomes',
  method: 'POST',
  path: '/v1/proofs/outcomes',
  group: 'proofs',
  summary:
    'The proof of what became of up to 64 transactions in a cut, with their payers and notes, from the outcome root of its header.',
  body: ProofsOutcomesRequest,
  answer: ProofsOutcomes,
  media: 'application/json',
  batch: { field: 'transaction_ids', maximum: OUTCOME_PROOFS_MAX },
  weight: { base: 2, perItem: 0.2 },
  caching: 'no_store',
  extension: true,
  errors: ['too_many_items', 'not_yet', 'not_kept', 'not_found'],
});
