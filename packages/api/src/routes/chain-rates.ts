/**
 * `GET /v1/chain/rates`.
 */
import { defineRoute } from '../base/route.ts';
import { RatesDocument } from '../mining/rates.ts';

export const chainRates = defineRoute({
  name: 'chainRates',
  method: 'GET',
  path: '/v1/chain/rates',
  group: 'chain',
  summary: 'Hashrate, pace and traffic of the network over the last cuts.',
  answer: RatesDocument,
  media: 'application/json',
  weight: { base: 1 },
  caching: 'no_store',
  extension: false,
  errors: [],
});
