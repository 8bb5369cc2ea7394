/**
 * `POST /v1/proofs/cuts`.
 */
import { type Static, Type } from 'typebox';
import { CUT_PROOFS_MAX } from '../base/batch-limits.ts';
import { batchOf, versioned } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, FinalizedHeight, Height, Hex, Identifier } from '../base/scalars.ts';

export const ProofsCutsRequest = versioned({
  height: Type.Optional(Height),
  heights: batchOf(Height, CUT_PROOFS_MAX),
});
export type ProofsCutsRequest = Static<typeof ProofsCutsRequest>;

export const ProofsCuts = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  height: Height,
  cuts: Type.Array(Type.Object({ height: Height, cut_id: Identifier, header_hex: Hex }), {
    description: 'The earlier cuts, each once, heights ascending.',
  }),
  proof_hex: Hex,
});
export type ProofsCuts = Static<typeof ProofsCuts>;

export const proofsCuts = defineRoute({
  name: 'proofsCuts',
  method: 'POST',
  path: '/v1/proofs/cuts',
  group: 'proofs',
  summary:
    'Headers of up to 64 cuts before the one of a height, the head unless given, and the proof that leads to them from the history root of its header.',
  body: ProofsCutsRequest,
  answer: ProofsCuts,
  media: 'application/json',
  batch: { field: 'heights', maximum: CUT_PROOFS_MAX },
  weight: { base: 2, perItem: 0.2 },
  caching: 'no_store',
  extension: true,
  errors: ['too_many_items', 'not_yet', 'not_kept', 'not_found'],
});
