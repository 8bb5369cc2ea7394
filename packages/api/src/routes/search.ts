/**
 * `GET /v1/search`.
 */
import { type Static, Type } from 'typebox';
import { strict } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, FinalizedHeight } from '../base/scalars.ts';

export const SEARCH_CHARACTERS_MAX = 128;

export const SearchResult = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  query: Type.String(),
  results: Type.Array(
    Type.Object({
      kind: Type.Union([
        Type.Literal('address'),
        Type.Literal('transaction'),
        Type.Literal('block'),
        Type.Literal('cut'),
        Type.Literal('validator'),
      ]),
      id: Type.String({ description: 'An identifier, an address or a height in decimal.' }),
    }),
  ),
});
export type SearchResult = Static<typeof SearchResult>;

export const search = defineRoute({
  name: 'search',
  method: 'GET',
  path: '/v1/search',
  group: 'chain',
  summary: 'What a height, identifier or address names.',
  query: strict({ q: Type.String({ minLength: 1, maxLength: SEARCH_CHARACTERS_MAX }) }),
  answer: SearchResult,
  media: 'application/json',
  weight: { base: 3 },
  caching: 'no_store',
  extension: true,
  errors: [],
});
