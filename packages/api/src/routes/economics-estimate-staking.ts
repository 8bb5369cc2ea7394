/**
 * `GET /v1/economics/estimate/staking`.
 */
import { type Static, Type } from 'typebox';
import { strict } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Atoms, FinalizedHeight } from '../base/scalars.ts';

export const StakingEstimateDocument = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  amount: Atoms,
  reward_per_day: Atoms,
  committee_stake: Atoms,
  pool_per_day: Atoms,
});
export type StakingEstimateDocument = Static<typeof StakingEstimateDocument>;

export const economicsEstimateStaking = defineRoute({
  name: 'economicsEstimateStaking',
  method: 'GET',
  path: '/v1/economics/estimate/staking',
  group: 'economics',
  summary: 'What an amount would earn for a day if it were staked, before commission.',
  query: strict({ amount: Atoms }),
  answer: StakingEstimateDocument,
  media: 'application/json',
  weight: { base: 1 },
  caching: 'revalidate',
  extension: false,
  errors: ['bad_amount'],
});
