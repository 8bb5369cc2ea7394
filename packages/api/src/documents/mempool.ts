/**
 * The mempool in figures, as the route and the socket topic give it.
 */
import { type Static, Type } from 'typebox';
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
