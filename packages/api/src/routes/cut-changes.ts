/**
 * `GET /v1/cuts/{height}/changes`.
 */
import { type Static, Type } from 'typebox';
import { HeightParams } from '../base/params.ts';
import { NextCursor, pageQuery } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, FinalizedHeight, Height } from '../base/scalars.ts';
import { CutChange } from '../documents/references.ts';

export const CutChanges = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  height: Height,
  changes: Type.Array(CutChange),
  next_cursor: NextCursor,
});
export type CutChanges = Static<typeof CutChanges>;

const PAGE = { default: 1_024, maximum: 4_096 } as const;

export const cutChanges = defineRoute({
  name: 'cutChanges',
  method: 'GET',
  path: '/v1/cuts/{height}/changes',
  group: 'cuts',
  summary: 'Outputs that came and went in a cut.',
  params: HeightParams,
  query: pageQuery(PAGE),
  answer: CutChanges,
  media: 'application/json',
  page: PAGE,
  weight: { base: 1, perItem: 0.01 },
  caching: 'immutable',
  extension: false,
  errors: ['not_yet', 'not_kept', 'not_found', 'bad_cursor'],
});
