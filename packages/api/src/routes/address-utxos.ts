/**
 * `GET /v1/address/{address}/utxos`.
 */
import { type Static, Type } from 'typebox';
import { AddressParams } from '../base/params.ts';
import { NextCursor, pageQuery } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { Address, ApiVersion, IndexedHeight } from '../base/scalars.ts';
import { Utxo } from '../documents/references.ts';

export const AddressUtxos = Type.Object({
  api_version: ApiVersion,
  address: Address,
  indexed_height: IndexedHeight,
  utxos: Type.Array(Utxo),
  next_cursor: NextCursor,
});
export type AddressUtxos = Static<typeof AddressUtxos>;

const PAGE = { default: 100, maximum: 512 } as const;

export const addressUtxos = defineRoute({
  name: 'addressUtxos',
  method: 'GET',
  path: '/v1/address/{address}/utxos',
  group: 'address',
  summary: 'Unspent outputs of an address, a page at a time.',
  params: AddressParams,
  query: pageQuery(PAGE),
  answer: AddressUtxos,
  media: 'application/json',
  page: PAGE,
  weight: { base: 1, perItem: 0.02 },
  caching: 'revalidate',
  extension: false,
  errors: ['bad_address', 'wrong_network', 'bad_cursor'],
});
