/**
 * `GET /v1/transactions/{id}/status`.
 */
import { IdParams } from '../base/params.ts';
import { defineRoute } from '../base/route.ts';
import { TransactionStatus } from '../documents/transaction-status.ts';

export const transactionStatus = defineRoute({
  name: 'transactionStatus',
  method: 'GET',
  path: '/v1/transactions/{id}/status',
  group: 'transactions',
  summary: 'How far a transaction is.',
  params: IdParams,
  answer: TransactionStatus,
  media: 'application/json',
  weight: { base: 1 },
  caching: 'no_store',
  extension: false,
  errors: ['not_found'],
});
