/**
 * `POST /v1/proofs/changes`.
 */
import { type Static, Type } from 'typebox';
import { ADDRESSES_MAX } from '../base/batch-limits.ts';
import { batchOf, versioned } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { Address, ApiVersion, FinalizedHeight, Height, Hex, Identifier } from '../base/scalars.ts';

export const ProofsChangesRequest = versioned({
  height: Height,
  addresses: batchOf(Address, ADDRESSES_MAX),
});
export type ProofsChangesRequest = Static<typeof ProofsChangesRequest>;

export const ProofsChanges = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  height: Height,
  cut_id: Identifier,
  proof_hex: Hex,
});
export type ProofsChanges = Static<typeof ProofsChanges>;

export const proofsChanges = defineRoute({
  name: 'proofsChanges',
  method: 'POST',
  path: '/v1/proofs/changes',
  group: 'proofs',
  summary:
    'The proof of all that a cut changed for up to 64 addresses, also that it changed nothing, from the changes root of its header.',
  body: ProofsChangesRequest,
  answer: ProofsChanges,
  media: 'application/json',
  batch: { field: 'addresses', maximum: ADDRESSES_MAX },
  weight: { base: 2, perItem: 0.2 },
  caching: 'no_store',
  extension: true,
  errors: ['bad_address', 'wrong_network', 'too_many_items', 'not_yet', 'not_kept', 'not_found'],
});
