/**
 * `GET /v1/economics/supply/proof`: that the figures of the supply are those of the state.
 */
import { type Static, Type } from 'typebox';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, FinalizedHeight, Hex } from '../base/scalars.ts';
import { CutReference } from '../documents/references.ts';

export const SupplyProof = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  cut: CutReference,
  header_hex: Hex,
  proof_hex: Hex,
});
export type SupplyProof = Static<typeof SupplyProof>;

export const economicsSupplyProof = defineRoute({
  name: 'economicsSupplyProof',
  method: 'GET',
  path: '/v1/economics/supply/proof',
  group: 'proofs',
  summary: 'Proof of what was minted and where it is, against the state root of the head.',
  answer: SupplyProof,
  media: 'application/json',
  weight: { base: 10 },
  caching: 'revalidate',
  extension: true,
  errors: ['overloaded'],
});
