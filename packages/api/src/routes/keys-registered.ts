/**
 * `POST /v1/keys/registered`: public keys that the chain has seen, for referenced witnesses.
 */
import { type Static, Type } from 'typebox';
import { ADDRESSES_MAX } from '../base/batch-limits.ts';
import { defineRoute } from '../base/route.ts';
import { Address, ApiVersion, FinalizedHeight, Height, Hex } from '../base/scalars.ts';
import { AddressesRequest } from './address-balances.ts';

export const KeysRegistered = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  keys: Type.Array(
    Type.Object({
      address: Address,
      registered: Type.Boolean(),
      public_key: Type.Union([Hex, Type.Null()]),
      registered_height: Type.Union([Height, Type.Null()], {
        description:
          'Height of the cut that registered the key. Null where it is not registered, and where the node began with a snapshot that had it.',
      }),
    }),
    { description: 'In the order of the request.' },
  ),
});
export type KeysRegistered = Static<typeof KeysRegistered>;

export const keysRegistered = defineRoute({
  name: 'keysRegistered',
  method: 'POST',
  path: '/v1/keys/registered',
  group: 'transactions',
  summary: 'Which of up to 64 addresses have their public key in the registry.',
  body: AddressesRequest,
  answer: KeysRegistered,
  media: 'application/json',
  batch: { field: 'addresses', maximum: ADDRESSES_MAX },
  weight: { base: 1, perItem: 0.1 },
  caching: 'no_store',
  extension: false,
  errors: ['bad_address', 'wrong_network', 'too_many_items'],
});
