/**
 * `GET /v1/chain/rates`.
 */
import { type Static, Type } from 'typebox';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, FinalizedHeight, Hex } from '../base/scalars.ts';

export const ChainRates = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  window_cuts: Type.Integer({ minimum: 0, description: 'How many cuts the rates are taken from.' }),
  hashrate: Type.String({
    pattern: '^(0|[1-9][0-9]*)$',
    description: 'Hashes per second of the whole network, estimated, in decimal.',
  }),
  work_target: Hex,
  blocks_per_cut: Type.Number({ minimum: 0 }),
  mean_cut_millis: Type.Number({ minimum: 0 }),
  transactions_per_second: Type.Number({ minimum: 0 }),
});
export type ChainRates = Static<typeof ChainRates>;

export const chainRates = defineRoute({
  name: 'chainRates',
  method: 'GET',
  path: '/v1/chain/rates',
  group: 'chain',
  summary: 'Hashrate, pace and traffic of the network over the last cuts.',
  answer: ChainRates,
  media: 'application/json',
  weight: { base: 1 },
  caching: 'no_store',
  extension: false,
  errors: [],
});
