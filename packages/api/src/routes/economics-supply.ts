/**
 * `GET /v1/economics/supply`.
 */
import { type Static, Type } from 'typebox';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Atoms, FinalizedHeight } from '../base/scalars.ts';

export const SupplyDocument = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  max_supply: Atoms,
  minted: Atoms,
  burned: Atoms,
  total_supply: Atoms,
  circulating_supply: Atoms,
  bonded: Atoms,
  unbonding: Atoms,
  work_reserve: Atoms,
  stake_reserve: Atoms,
  unscheduled_emission: Atoms,
});
export type SupplyDocument = Static<typeof SupplyDocument>;

export const economicsSupply = defineRoute({
  name: 'economicsSupply',
  method: 'GET',
  path: '/v1/economics/supply',
  group: 'economics',
  summary: 'Where every issued atom is.',
  answer: SupplyDocument,
  media: 'application/json',
  weight: { base: 1 },
  caching: 'revalidate',
  extension: false,
  errors: [],
});
