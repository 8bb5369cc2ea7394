/**
 * `GET /v1/chain/series`: figures of the last cuts for charts.
 */
import { type Static, Type } from 'typebox';
import { Limit, strict } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, FinalizedHeight, Height, Millis } from '../base/scalars.ts';

export const SERIES_METRICS = [
  'hashrate',
  'cut_time',
  'blocks',
  'transactions',
  'fees',
  'mempool',
] as const;
export type SeriesMetric = (typeof SERIES_METRICS)[number];

export const ChainSeries = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  metric: Type.String(),
  step: Type.Integer({ description: 'Cuts in one point.' }),
  points: Type.Array(
    Type.Object({
      height: Height,
      time_millis: Millis,
      value: Type.String({ description: 'A whole number in decimal, in the unit of the metric.' }),
    }),
    { description: 'Oldest first.' },
  ),
});
export type ChainSeries = Static<typeof ChainSeries>;

const PAGE = { default: 120, maximum: 720 } as const;

export const chainSeries = defineRoute({
  name: 'chainSeries',
  method: 'GET',
  path: '/v1/chain/series',
  group: 'chain',
  summary: 'A figure of the last cuts, one point for every `step` cuts.',
  query: strict({
    metric: Type.Union(
      SERIES_METRICS.map((metric) => Type.Literal(metric)),
      {
        description:
          'hashrate (hashes per second), cut_time (milliseconds), blocks, transactions, fees (atoms), mempool (transactions).',
      },
    ),
    step: Type.Optional(
      Type.Union([Type.Literal(1), Type.Literal(24), Type.Literal(288)], {
        description: 'Cuts in one point; 1 unless given.',
      }),
    ),
    limit: Limit(PAGE),
  }),
  answer: ChainSeries,
  media: 'application/json',
  page: PAGE,
  weight: { base: 1, perItem: 0.01 },
  caching: 'no_store',
  extension: true,
  errors: ['bad_value'],
});
