/**
 * Supply, emission and what staking earns.
 */
import { type Static, Type } from 'typebox';
import { strict } from '../base/request.ts';
import { finalized, routesOf } from '../base/route.ts';
import { Atoms, Count, Height, Millis } from '../base/scalars.ts';

const define = routesOf('economics');

export const SupplyDocument = finalized({
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

export const economicsSupply = define({
  name: 'economicsSupply',
  method: 'GET',
  path: '/v1/economics/supply',
  summary: 'Where every issued atom is.',
  answer: SupplyDocument,
  weight: { base: 1 },
  caching: 'revalidate',
});

export const CoinsText = Type.String({
  pattern: '^[0-9]+\\.[0-9]{8}$',
  description: 'Coins with 8 decimals.',
});

const ECONOMICS_SUPPLY_TEXT_COMMON = {
  method: 'GET',
  answer: CoinsText,
  media: 'text/plain',
  weight: { base: 1 },
  caching: 'revalidate',
  extension: true,
} as const;

export const economicsSupplyCirculating = define({
  ...ECONOMICS_SUPPLY_TEXT_COMMON,
  name: 'economicsSupplyCirculating',
  path: '/v1/economics/supply/circulating',
  summary: 'Circulating supply in coins, as plain text.',
});

export const economicsSupplyTotal = define({
  ...ECONOMICS_SUPPLY_TEXT_COMMON,
  name: 'economicsSupplyTotal',
  path: '/v1/economics/supply/total',
  summary: 'Total supply in coins, as plain text.',
});

export const economicsSupplyMax = define({
  ...ECONOMICS_SUPPLY_TEXT_COMMON,
  name: 'economicsSupplyMax',
  path: '/v1/economics/supply/max',
  summary: 'Maximum supply in coins, as plain text.',
});

export const EmissionDocument = finalized({
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

export const economicsEmission = define({
  name: 'economicsEmission',
  method: 'GET',
  path: '/v1/economics/emission',
  summary: 'Subsidy of the next cut, and when it falls next.',
  answer: EmissionDocument,
  weight: { base: 1 },
  caching: 'revalidate',
});

export const StakingEstimateDocument = finalized({
  amount: Atoms,
  reward_per_day: Atoms,
  committee_stake: Atoms,
  pool_per_day: Atoms,
});
export type StakingEstimateDocument = Static<typeof StakingEstimateDocument>;

export const economicsEstimateStaking = define({
  name: 'economicsEstimateStaking',
  method: 'GET',
  path: '/v1/economics/estimate/staking',
  summary: 'What an amount would earn for a day if it were staked, before commission.',
  query: strict({ amount: Atoms }),
  answer: StakingEstimateDocument,
  weight: { base: 1 },
  caching: 'revalidate',
  errors: ['bad_amount'],
});
