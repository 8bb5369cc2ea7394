/**
 * `GET /v1/mempool`.
 */
import { defineRoute } from '../base/route.ts';
import { MempoolDocument } from '../documents/mempool.ts';

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
