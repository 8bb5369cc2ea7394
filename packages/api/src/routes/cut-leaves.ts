/**
 * `GET /v1/cuts/{height}/leaves`: the list that the changes root of a cut commits to.
 */
import { type Static, Type } from 'typebox';
import { HeightParams } from '../base/params.ts';
import { NextCursor, pageQuery } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Count, FinalizedHeight, Height, Identifier } from '../base/scalars.ts';

export const CutLeaves = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  height: Height,
  cut_id: Identifier,
  count: { ...Count, description: 'Leaves of the whole list.' },
  leaves_base64: Type.String({
    description: 'Leaves of 163 bytes, one after another, ascending by address.',
  }),
  next_cursor: NextCursor,
});
export type CutLeaves = Static<typeof CutLeaves>;

const PAGE = { default: 1_024, maximum: 4_096 } as const;

export const cutLeaves = defineRoute({
  name: 'cutLeaves',
  method: 'GET',
  path: '/v1/cuts/{height}/leaves',
  group: 'cuts',
  summary:
    'The leaves of all changes of a cut, as bytes in the order of the list that the changes root of its header commits to.',
  params: HeightParams,
  query: pageQuery(PAGE),
  answer: CutLeaves,
  media: 'application/json',
  page: PAGE,
  weight: { base: 1, perItem: 0.005 },
  caching: 'immutable',
  extension: true,
  errors: ['not_yet', 'not_kept', 'not_found', 'bad_cursor'],
});
