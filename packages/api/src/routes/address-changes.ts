/**
 * `POST /v1/address/changes`: the catch-up read of wallets.
 */
import { type Static, Type } from 'typebox';
import { ADDRESSES_MAX, ROWS_MAX } from '../base/batch-limits.ts';
import { batchOf, Cursor, Limit, NextCursor, versioned } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { Address, ApiVersion, Height, IndexedHeight } from '../base/scalars.ts';
import { AddressChange } from '../documents/references.ts';

const PAGE = { default: 1_024, maximum: ROWS_MAX } as const;

export const AddressChangesRequest = versioned({
  addresses: batchOf(Address, ADDRESSES_MAX),
  after_height: Type.Optional({
    ...Height,
    description: 'Changes of cuts above this height; from the first cut that is kept, if absent.',
  }),
  cursor: Type.Optional(Cursor),
  limit: Limit(PAGE),
});
export type AddressChangesRequest = Static<typeof AddressChangesRequest>;

export const AddressChanges = Type.Object({
  api_version: ApiVersion,
  indexed_height: IndexedHeight,
  changes: Type.Array(AddressChange, { description: 'Ascending by height.' }),
  next_cursor: NextCursor,
});
export type AddressChanges = Static<typeof AddressChanges>;

export const addressChanges = defineRoute({
  name: 'addressChanges',
  method: 'POST',
  path: '/v1/address/changes',
  group: 'address',
  summary: 'What up to 64 addresses received and spent in the cuts above a height.',
  body: AddressChangesRequest,
  answer: AddressChanges,
  media: 'application/json',
  page: PAGE,
  batch: { field: 'addresses', maximum: ADDRESSES_MAX },
  weight: { base: 1, perItem: 0.5 },
  caching: 'no_store',
  extension: false,
  errors: ['bad_address', 'wrong_network', 'too_many_items', 'bad_cursor', 'not_kept'],
});
