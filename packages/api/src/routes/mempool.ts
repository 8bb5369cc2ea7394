/**
 * `GET /v1/mempool`.
 */
import { type Static, Type } from 'typebox';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Atoms, Count, FinalizedHeight, Millis } from '../base/scalars.ts';

export const MempoolDocument = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  transactions: Count,
  bytes: Count,
  mass: Atoms,
  min_fee_per_mass: Atoms,
  max_fee_per_mass: Type.Union([Atoms, Type.Null()]),
  oldest_millis: Type.Union([Millis, Type.Null()]),
});
export type MempoolDocument = Static<typeof MempoolDocument>;

export const mempool = defineRoute({
  name: 'mempool',
  method: 'GET',
  path: '/v1/mempool',
  group: 'mempool',
  summary: 'How many transactions wait, and at what fee rates.',
  answer: MempoolDocument,
  media: 'application/json',
  weight: { base: 1 },
  caching: 'no_store',
  extension: false,
  errors: [],
});
