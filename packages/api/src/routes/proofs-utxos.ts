/**
 * `POST /v1/proofs/utxos`.
 */
import { type Static, Type } from 'typebox';
import { PROOFS_MAX } from '../base/batch-limits.ts';
import { batchOf, versioned } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, FinalizedHeight, Hex } from '../base/scalars.ts';
import { CutReference, Outpoint, OutpointRequest } from '../documents/references.ts';

export const ProofsUtxosRequest = versioned({ outpoints: batchOf(OutpointRequest, PROOFS_MAX) });
export type ProofsUtxosRequest = Static<typeof ProofsUtxosRequest>;

export const ProofsUtxos = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  cut: CutReference,
  header_hex: Hex,
  proofs: Type.Array(
    Type.Object({
      outpoint: Outpoint,
      included: Type.Boolean(),
      proof_hex: Type.Union([Hex, Type.Null()], {
        description: 'Leads from the output to the state root; null if it is not unspent.',
      }),
    }),
    { description: 'In the order of the request.' },
  ),
});
export type ProofsUtxos = Static<typeof ProofsUtxos>;

export const proofsUtxos = defineRoute({
  name: 'proofsUtxos',
  method: 'POST',
  path: '/v1/proofs/utxos',
  group: 'proofs',
  summary: 'Proofs that up to 8 outputs are unspent at the finalized head.',
  body: ProofsUtxosRequest,
  answer: ProofsUtxos,
  media: 'application/json',
  batch: { field: 'outpoints', maximum: PROOFS_MAX },
  weight: { base: 2, perItem: 1 },
  caching: 'no_store',
  extension: false,
  errors: ['too_many_items', 'overloaded'],
});
