/**
 * `POST /v1/transactions/batch`: several submissions in one request, each with an answer of its own.
 */
import { type Static, Type } from 'typebox';
import { SUBMISSIONS_MAX } from '../base/batch-limits.ts';
import { batchOf, versioned } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Identifier } from '../base/scalars.ts';
import { ErrorDocument } from '../errors/error-document.ts';
import { WireHex } from './transaction-submit.ts';

export const TransactionsSubmission = versioned({ wires_hex: batchOf(WireHex, SUBMISSIONS_MAX) });
export type TransactionsSubmission = Static<typeof TransactionsSubmission>;

const SubmissionRefusal = Type.Object({
  status: Type.Integer({ description: 'The status that the transaction would get alone.' }),
  error: ErrorDocument.properties.error,
  retry_after_millis: ErrorDocument.properties.retry_after_millis,
});

export const SubmissionReceipt = Type.Object({
  transaction_id: Type.Union([Identifier, Type.Null()], {
    description: 'Null for a transaction that was refused.',
  }),
  result: Type.Union([Type.Literal('accepted'), Type.Literal('known'), Type.Literal('refused')]),
  refusal: Type.Union([SubmissionRefusal, Type.Null()], {
    description: 'Why the transaction was refused; the others are not touched by it.',
  }),
});
export type SubmissionReceipt = Static<typeof SubmissionReceipt>;

export const TransactionReceipts = Type.Object({
  api_version: ApiVersion,
  receipts: Type.Array(SubmissionReceipt, { description: 'In the order of the request.' }),
});
export type TransactionReceipts = Static<typeof TransactionReceipts>;

export const transactionsSubmit = defineRoute({
  name: 'transactionsSubmit',
  method: 'POST',
  path: '/v1/transactions/batch',
  group: 'transactions',
  summary:
    'Submits up to 8 signed transactions, each as if it came alone. After a lost answer ask for their statuses instead of repeating.',
  body: TransactionsSubmission,
  bytes: {
    media: 'application/vnd.svc.transactions',
    description:
      'The signed transactions in wire encoding, one after the other, each with its length as a varint before it.',
  },
  answer: TransactionReceipts,
  media: 'application/json',
  batch: { field: 'wires_hex', maximum: SUBMISSIONS_MAX },
  weight: { base: 1, perItem: 4.5 },
  caching: 'no_store',
  extension: true,
  errors: ['not_synced', 'too_many_items'],
});
