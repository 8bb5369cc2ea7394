/**
 * Balances, unspent outputs and histories of addresses.
 */
import { type Static, Type } from 'typebox';
import { AddressChange, HistoryEvent, Utxo } from '../base/references.ts';
import {
  ADDRESSES_MAX,
  AddressParams,
  batchOf,
  Cursor,
  Limit,
  NextCursor,
  pageQuery,
  ROWS_MAX,
  versioned,
} from '../base/request.ts';
import { routesOf } from '../base/route.ts';
import { Address, ApiVersion, Atoms, Count, Height, IndexedHeight } from '../base/scalars.ts';

const define = routesOf('address');

export const AddressBalance = Type.Object({
  api_version: ApiVersion,
  address: Address,
  balance: Atoms,
  utxos: Count,
  indexed_height: IndexedHeight,
});
export type AddressBalance = Static<typeof AddressBalance>;

export const addressBalance = define({
  name: 'addressBalance',
  method: 'GET',
  path: '/v1/address/{address}/balance',
  summary: 'Balance of an address and the number of its unspent outputs.',
  params: AddressParams,
  answer: AddressBalance,
  weight: { base: 1 },
  caching: 'revalidate',
  errors: ['bad_address', 'wrong_network'],
});

export const AddressUtxos = Type.Object({
  api_version: ApiVersion,
  address: Address,
  indexed_height: IndexedHeight,
  utxos: Type.Array(Utxo),
  next_cursor: NextCursor,
});
export type AddressUtxos = Static<typeof AddressUtxos>;

const ADDRESS_UTXOS_PAGE = { default: 100, maximum: 512 } as const;

export const addressUtxos = define({
  name: 'addressUtxos',
  method: 'GET',
  path: '/v1/address/{address}/utxos',
  summary: 'Unspent outputs of an address, a page at a time.',
  params: AddressParams,
  query: pageQuery(ADDRESS_UTXOS_PAGE),
  answer: AddressUtxos,
  page: ADDRESS_UTXOS_PAGE,
  weight: { base: 1, perItem: 0.02 },
  caching: 'revalidate',
  errors: ['bad_address', 'wrong_network', 'bad_cursor'],
});

export const AddressHistory = Type.Object({
  api_version: ApiVersion,
  address: Address,
  indexed_height: IndexedHeight,
  indexed_from: Type.Optional(
    Type.Integer({
      minimum: 2,
      description:
        'The first cut whose events are listed, on a node that has no lists of earlier ones.',
    }),
  ),
  events: Type.Array(HistoryEvent, { description: 'Newest first.' }),
  next_cursor: NextCursor,
});
export type AddressHistory = Static<typeof AddressHistory>;

const ADDRESS_HISTORY_PAGE = { default: 100, maximum: 256 } as const;

export const addressHistory = define({
  name: 'addressHistory',
  method: 'GET',
  path: '/v1/address/{address}/history',
  summary: 'What an address received and spent, newest first.',
  params: AddressParams,
  query: pageQuery(ADDRESS_HISTORY_PAGE),
  answer: AddressHistory,
  page: ADDRESS_HISTORY_PAGE,
  weight: { base: 1, perItem: 0.02 },
  caching: 'revalidate',
  errors: ['bad_address', 'wrong_network', 'bad_cursor'],
});

export const AddressesRequest = versioned({ addresses: batchOf(Address, ADDRESSES_MAX) });

export const AddressBalances = Type.Object({
  api_version: ApiVersion,
  indexed_height: IndexedHeight,
  balances: Type.Array(Type.Object({ address: Address, balance: Atoms, utxos: Count }), {
    description: 'In the order of the request.',
  }),
});
export type AddressBalances = Static<typeof AddressBalances>;

export const addressBalances = define({
  name: 'addressBalances',
  method: 'POST',
  path: '/v1/address/balances',
  summary: 'Balances of up to 64 addresses, all at one height.',
  body: AddressesRequest,
  answer: AddressBalances,
  batch: { field: 'addresses', maximum: ADDRESSES_MAX },
  weight: { base: 1, perItem: 0.1 },
  caching: 'no_store',
  errors: ['bad_address', 'wrong_network', 'too_many_items'],
});

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

export const addressUtxosBatch = define({
  name: 'addressUtxosBatch',
  method: 'POST',
  path: '/v1/address/utxos',
  summary: 'Unspent outputs of up to 64 addresses, all at one height.',
  body: AddressesRequest,
  answer: AddressUtxosBatch,
  batch: { field: 'addresses', maximum: ADDRESSES_MAX },
  weight: { base: 1, perItem: 1 },
  caching: 'no_store',
  errors: ['bad_address', 'wrong_network', 'too_many_items'],
});

const ADDRESS_CHANGES_PAGE = { default: 1_024, maximum: ROWS_MAX } as const;

export const AddressChangesRequest = versioned({
  addresses: batchOf(Address, ADDRESSES_MAX),
  after_height: Type.Optional({
    ...Height,
    description: 'Changes of cuts above this height; from the first cut that is kept, if absent.',
  }),
  cursor: Type.Optional(Cursor),
  limit: Limit(ADDRESS_CHANGES_PAGE),
});

export const AddressChanges = Type.Object({
  api_version: ApiVersion,
  indexed_height: IndexedHeight,
  changes: Type.Array(AddressChange, { description: 'Ascending by height.' }),
  next_cursor: NextCursor,
});

export const addressChanges = define({
  name: 'addressChanges',
  method: 'POST',
  path: '/v1/address/changes',
  summary: 'What up to 64 addresses received and spent in the cuts above a height.',
  body: AddressChangesRequest,
  answer: AddressChanges,
  page: ADDRESS_CHANGES_PAGE,
  batch: { field: 'addresses', maximum: ADDRESSES_MAX },
  weight: { base: 1, perItem: 0.5 },
  caching: 'no_store',
  errors: ['bad_address', 'wrong_network', 'too_many_items', 'bad_cursor', 'not_kept'],
});
