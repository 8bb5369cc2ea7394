/**
 * The chain as a whole: its head, its rates, figures for charts, and search.
 */
import { type Static, Type } from 'typebox';
import { CutReference, Network } from '../base/references.ts';
import { Limit, strict } from '../base/request.ts';
import { finalized, routesOf } from '../base/route.ts';
import { ApiVersion, Count, Height, Identifier, Millis } from '../base/scalars.ts';
import { RatesDocument } from '../mining.ts';

const define = routesOf('chain');

export const ChainHead = Type.Object({
  api_version: ApiVersion,
  network: Network,
  chain_id: Identifier,
  cut: CutReference,
  time_millis: Millis,
  epoch: Count,
});
export type ChainHead = Static<typeof ChainHead>;

export const chainHead = define({
  name: 'chainHead',
  method: 'GET',
  path: '/v1/chain/head',
  summary: 'The last finalized cut.',
  answer: ChainHead,
  weight: { base: 1 },
  caching: 'no_store',
});

export const chainRates = define({
  name: 'chainRates',
  method: 'GET',
  path: '/v1/chain/rates',
  summary: 'Hashrate, pace and traffic of the network over the last cuts.',
  answer: RatesDocument,
  weight: { base: 1 },
  caching: 'no_store',
});

export const SERIES_METRICS = [
  'hashrate',
  'cut_time',
  'blocks',
  'transactions',
  'fees',
  'mempool',
] as const;
export type SeriesMetric = (typeof SERIES_METRICS)[number];

export const ChainSeries = finalized({
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

const CHAIN_SERIES_PAGE = { default: 120, maximum: 720 } as const;

export const chainSeries = define({
  name: 'chainSeries',
  method: 'GET',
  path: '/v1/chain/series',
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
    limit: Limit(CHAIN_SERIES_PAGE),
  }),
  answer: ChainSeries,
  page: CHAIN_SERIES_PAGE,
  weight: { base: 1, perItem: 0.01 },
  caching: 'no_store',
  extension: true,
  errors: ['bad_value'],
});

export const SEARCH_CHARACTERS_MAX = 128;

export const SearchResult = finalized({
  query: Type.String(),
  results: Type.Array(
    Type.Object({
      kind: Type.Union([
        Type.Literal('address'),
        Type.Literal('transaction'),
        Type.Literal('block'),
        Type.Literal('cut'),
        Type.Literal('validator'),
      ]),
      id: Type.String({ description: 'An identifier, an address or a height in decimal.' }),
    }),
  ),
});
export type SearchResult = Static<typeof SearchResult>;

export const search = define({
  name: 'search',
  method: 'GET',
  path: '/v1/search',
  summary: 'What a height, identifier or address names.',
  query: strict({ q: Type.String({ minLength: 1, maxLength: SEARCH_CHARACTERS_MAX }) }),
  answer: SearchResult,
  weight: { base: 3 },
  caching: 'no_store',
  extension: true,
});
