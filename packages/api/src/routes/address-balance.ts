/**
 * `GET /v1/address/{address}/balance`.
 */
import { type Static, Type } from 'typebox';
import { AddressParams } from '../base/params.ts';
import { defineRoute } from '../base/route.ts';
import { Address, ApiVersion, Atoms, Count, IndexedHeight } from '../base/scalars.ts';

export const AddressBalance = Type.Object({
  api_version: ApiVersion,
  address: Address,
  balance: Atoms,
  utxos: Count,
  indexed_height: IndexedHeight,
});
export type AddressBalance = Static<typeof AddressBalance>;

export const addressBalance = defineRoute({
  name: 'addressBalance',
  method: 'GET',
  path: '/v1/address/{address}/balance',
  group: 'address',
  summary: 'Balance of an address and the number of its unspent outputs.',
  params: AddressParams,
  answer: AddressBalance,
  media: 'application/json',
  weight: { base: 1 },
  caching: 'revalidate',
  extension: false,
  errors: ['bad_address', 'wrong_network'],
});
