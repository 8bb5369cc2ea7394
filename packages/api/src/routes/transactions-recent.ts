/**
 * `GET /v1/transactions/recent`.
 */
import { type Static, Type } from 'typebox';
import { Limit, strict } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, FinalizedHeight } from '../base/scalars.ts';
import { RecentTransaction } from '../documents/outcome.ts';

export const TransactionsRecent = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  transactions: Type.Array(RecentTransaction, { description: 'Newest first.' }),
});
export type TransactionsRecent = Static<typeof TransactionsRecent>;

const PAGE = { default: 50, maximum: 500 } as const;

export const transactionsRecent = defineRoute({
  name: 'transactionsRecent',
  method: 'GET',
  path: '/v1/transactions/recent',
  group: 'transactions',
  summary: 'Transactions executed last, newest first.',
  query: strict({ limit: Limit(PAGE) }),
  answer: TransactionsRecent,
  media: 'application/json',
  page: PAGE,
  weight: { base: 1, perItem: 0.05 },
  caching: 'revalidate',
  extension: false,
  errors: [],
});
