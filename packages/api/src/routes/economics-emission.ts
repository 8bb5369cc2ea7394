/**
 * `GET /v1/economics/emission`.
 */
import { type Static, Type } from 'typebox';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Atoms, Count, FinalizedHeight, Height, Millis } from '../base/scalars.ts';

export const EmissionDocument = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  epoch: Count,
  subsidy: Atoms,
  interval_amount: Atoms,
  next_interval_amount: Atoms,
  next_reduction_height: Height,
  cuts_to_next_reduction: Count,
  next_reduction_millis: Millis,
  issued: Atoms,
  to_come: Atoms,
});
export type EmissionDocument = Static<typeof EmissionDocument>;

export const economicsEmission = defineRoute({
  name: 'economicsEmission',
  method: 'GET',
  path: '/v1/economics/emission',
  group: 'economics',
  summary: 'Subsidy of the next cut, and when it falls next.',
  answer: EmissionDocument,
  media: 'application/json',
  weight: { base: 1 },
  caching: 'revalidate',
  extension: false,
  errors: [],
});
