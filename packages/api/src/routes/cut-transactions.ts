/**
 * `GET /v1/cuts/{height}/transactions`.
 */
import { type Static, Type } from 'typebox';
import { HeightParams } from '../base/params.ts';
import { NextCursor, pageQuery } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, FinalizedHeight, Height } from '../base/scalars.ts';
import { CutTransaction } from '../documents/outcome.ts';

export const CutTransactions = Type.Object({
  api_version: ApiVersion,
  finalized_height: FinalizedHeight,
  height: Height,
  transactions: Type.Array(CutTransaction, { description: 'In the order of execution.' }),
  next_cursor: NextCursor,
});
export type CutTransactions = Static<typeof CutTransactions>;

const PAGE = { default: 64, maximum: 64 } as const;

export const cutTransactions = defineRoute({
  name: 'cutTransactions',
  method: 'GET',
  path: '/v1/cuts/{height}/transactions',
  group: 'cuts',
  summary: 'Transactions that a cut executed, and what became of each.',
  params: HeightParams,
  query: pageQuery(PAGE),
  answer: CutTransactions,
  media: 'application/json',
  page: PAGE,
  weight: { base: 1, perItem: 0.02 },
  caching: 'immutable',
  extension: false,
  errors: ['not_yet', 'not_kept', 'not_found', 'bad_cursor'],
});
