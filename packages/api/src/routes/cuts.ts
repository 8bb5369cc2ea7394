/**
 * `GET /v1/cuts`.
 */
import { type Static, Type } from 'typebox';
import { Limit, strict } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, FinalizedHeight } from '../base/scalars.ts';
import { CutSummary } from '../documents/cut.ts';

export const Cuts = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  cuts: Type.Array(CutSummary, { description: 'Newest first.' }),
  next_before: Type.Optional(
    Type.Integer({ description: 'Goes on with the next page as `before`; absent on the last.' }),
  ),
});
export type Cuts = Static<typeof Cuts>;

const PAGE = { default: 20, maximum: 100 } as const;

export const cuts = defineRoute({
  name: 'cuts',
  method: 'GET',
  path: '/v1/cuts',
  group: 'cuts',
  summary: 'Finalized cuts, newest first.',
  query: strict({
    before: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Only cuts below this height.',
      }),
    ),
    limit: Limit(PAGE),
  }),
  answer: Cuts,
  media: 'application/json',
  page: PAGE,
  weight: { base: 1, perItem: 0.1 },
  caching: 'revalidate',
  extension: false,
  errors: [],
});
export type CutsQuery = Static<typeof cuts.query>;
