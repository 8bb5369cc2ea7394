/**
 * `POST /v1/address/balances`.
 */
import { type Static, Type } from 'typebox';
import { ADDRESSES_MAX } from '../base/batch-limits.ts';
import { batchOf, versioned } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { Address, ApiVersion, Atoms, Count, IndexedHeight } from '../base/scalars.ts';

export const AddressesRequest = versioned({ addresses: batchOf(Address, ADDRESSES_MAX) });
export type AddressesRequest = Static<typeof AddressesRequest>;

export const AddressBalances = Type.Object({
  api_version: ApiVersion,
  indexed_height: IndexedHeight,
  balances: Type.Array(Type.Object({ address: Address, balance: Atoms, utxos: Count }), {
    description: 'In the order of the request.',
  }),
});
export type AddressBalances = Static<typeof AddressBalances>;

export const addressBalances = defineRoute({
  name: 'addressBalances',
  method: 'POST',
  path: '/v1/address/balances',
  group: 'address',
  summary: 'Balances of up to 64 addresses, all at one height.',
  body: AddressesRequest,
  answer: AddressBalances,
  media: 'application/json',
  batch: { field: 'addresses', maximum: ADDRESSES_MAX },
  weight: { base: 1, perItem: 0.1 },
  caching: 'no_store',
  extension: false,
  errors: ['bad_address', 'wrong_network', 'too_many_items'],
});
