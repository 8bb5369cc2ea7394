/**
 * `GET /v1/address/{address}/history`.
 */
import { type Static, Type } from 'typebox';
import { AddressParams } from '../base/params.ts';
import { NextCursor, pageQuery } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { Address, ApiVersion, IndexedHeight } from '../base/scalars.ts';
import { HistoryEvent } from '../documents/references.ts';

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

const PAGE = { default: 100, maximum: 256 } as const;

export const addressHistory = defineRoute({
  name: 'addressHistory',
  method: 'GET',
  path: '/v1/address/{address}/history',
  group: 'address',
  summary: 'What an address received and spent, newest first.',
  params: AddressParams,
  query: pageQuery(PAGE),
  answer: AddressHistory,
  media: 'application/json',
  page: PAGE,
  weight: { base: 1, perItem: 0.02 },
  caching: 'revalidate',
  extension: false,
  errors: ['bad_address', 'wrong_network', 'bad_cursor'],
});
