/**
 * `POST /v1/address/utxos`.
 */
import { type Static, Type } from 'typebox';
import { ADDRESSES_MAX, ROWS_MAX } from '../base/batch-limits.ts';
import { defineRoute } from '../base/route.ts';
import { Address, ApiVersion, IndexedHeight } from '../base/scalars.ts';
import { Utxo } from '../documents/references.ts';
import { AddressesRequest } from './address-balances.ts';

export const AddressUtxosBatch = Type.Object({
  api_version: ApiVersion,
  indexed_height: IndexedHeight,
  addresses: Type.Array(
    Type.Object({
      address: Address,
      utxos: Type.Array(Utxo),
      truncated: Type.Boolean({
        description: 'There are more; read them page by page for this address.',
      }),
    }),
    { description: `In the order of the request; ${ROWS_MAX} outputs over all of them at most.` },
  ),
});
export type AddressUtxosBatch = Static<typeof AddressUtxosBatch>;

export const addressUtxosBatch = defineRoute({
  name: 'addressUtxosBatch',
  method: 'POST',
  path: '/v1/address/utxos',
  group: 'address',
  summary: 'Unspent outputs of up to 64 addresses, all at one height.',
  body: AddressesRequest,
  answer: AddressUtxosBatch,
  media: 'application/json',
  batch: { field: 'addresses', maximum: ADDRESSES_MAX },
  weight: { base: 1, perItem: 1 },
  caching: 'no_store',
  extension: false,
  errors: ['bad_address', 'wrong_network', 'too_many_items'],
});
