/**
 * `POST /v1/transactions/status`.
 */
import { type Static, Type } from 'typebox';
import { STATUSES_MAX } from '../base/batch-limits.ts';
import { batchOf, versioned } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, FinalizedHeight, Identifier } from '../base/scalars.ts';
import { TransactionStatusEntry } from '../documents/transaction-status.ts';

export const TransactionsStatusRequest = versioned({
  transaction_ids: batchOf(Identifier, STATUSES_MAX),
});
export type TransactionsStatusRequest = Static<typeof TransactionsStatusRequest>;

export const TransactionsStatus = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  statuses: Type.Array(TransactionStatusEntry, {
    description: 'In the order of the request; what is not known is left out.',
  }),
});
export type TransactionsStatus = Static<typeof TransactionsStatus>;

export const transactionsStatus = defineRoute({
  name: 'transactionsStatus',
  method: 'POST',
  path: '/v1/transactions/status',
  group: 'transactions',
  summary: 'Statuses of up to 1,024 transactions, all at one height.',
  body: TransactionsStatusRequest,
  answer: TransactionsStatus,
  media: 'application/json',
  batch: { field: 'transaction_ids', maximum: STATUSES_MAX },
  weight: { base: 1, perItem: 0.1 },
  caching: 'no_store',
  extension: false,
  errors: ['too_many_items'],
});
