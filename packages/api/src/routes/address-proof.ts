/**
 * `GET /v1/address/{address}/proof`: that the outputs of an address are these and no others.
 */
import { type Static, Type } from 'typebox';
import { AddressParams } from '../base/params.ts';
import { defineRoute } from '../base/route.ts';
import { Address, ApiVersion, FinalizedHeight, Hex } from '../base/scalars.ts';
import { CutReference } from '../documents/references.ts';

export const AddressProof = Type.Object({
  api_version: ApiVersion,
  address: Address,
  finalized_height: FinalizedHeight,
  cut: CutReference,
  header_hex: Hex,
  proof_hex: Hex,
});
export type AddressProof = Static<typeof AddressProof>;

export const addressProof = defineRoute({
  name: 'addressProof',
  method: 'GET',
  path: '/v1/address/{address}/proof',
  group: 'proofs',
  summary: 'Proof that the outputs of an address are complete, against the state root of the head.',
  params: AddressParams,
  answer: AddressProof,
  media: 'application/json',
  weight: { base: 20 },
  caching: 'revalidate',
  extension: true,
  errors: ['bad_address', 'wrong_network', 'too_many_items', 'overloaded'],
});
