/**
 * `GET /v1/cuts/{height}`.
 */
import { type Static, Type } from 'typebox';
import { HeightParams } from '../base/params.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, FinalizedHeight } from '../base/scalars.ts';
import { CutDetails } from '../documents/cut.ts';

export const Cut = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  cut: CutDetails,
});
export type Cut = Static<typeof Cut>;

export const cut = defineRoute({
  name: 'cut',
  method: 'GET',
  path: '/v1/cuts/{height}',
  group: 'cuts',
  summary: 'One finalized cut with its rewards, payouts and burns.',
  params: HeightParams,
  answer: Cut,
  media: 'application/json',
  weight: { base: 1 },
  caching: 'immutable',
  extension: true,
  errors: ['not_yet', 'not_kept', 'not_found'],
});
