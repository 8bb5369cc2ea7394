/**
 * `GET /v1/economics/supply/{circulating,total,max}`: one number as plain text, for listing sites.
 */
import { Type } from 'typebox';
import { defineRoute } from '../base/route.ts';

export const CoinsText = Type.String({
  pattern: '^[0-9]+\\.[0-9]{8}$',
  description: 'Coins with 8 decimals.',
});

const COMMON = {
  method: 'GET',
  group: 'economics',
  answer: CoinsText,
  media: 'text/plain',
  weight: { base: 1 },
  caching: 'revalidate',
  extension: true,
  errors: [],
} as const;

export const economicsSupplyCirculating = defineRoute({
  ...COMMON,
  name: 'economicsSupplyCirculating',
  path: '/v1/economics/supply/circulating',
  summary: 'Circulating supply in coins, as plain text.',
});

export const economicsSupplyTotal = defineRoute({
  ...COMMON,
  name: 'economicsSupplyTotal',
  path: '/v1/economics/supply/total',
  summary: 'Total supply in coins, as plain text.',
});

export const economicsSupplyMax = defineRoute({
  ...COMMON,
  name: 'economicsSupplyMax',
  path: '/v1/economics/supply/max',
  summary: 'Maximum supply in coins, as plain text.',
});
