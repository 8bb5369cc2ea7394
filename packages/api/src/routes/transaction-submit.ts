/**
 * `POST /v1/transactions`.
 */
import { type Static, Type } from 'typebox';
import { versioned } from '../base/request.ts';
import { defineRoute } from '../base/route.ts';
import { ApiVersion, Identifier } from '../base/scalars.ts';

export const WireHex = Type.String({
  minLength: 2,
  pattern: '^[0-9a-f]*$',
  description: 'The signed transaction in wire encoding, hexadecimal.',
});

export const TransactionSubmission = versioned({ wire_hex: WireHex });
export type TransactionSubmission = Static<typeof TransactionSubmission>;

export const TransactionReceipt = Type.Object({
  api_version: ApiVersion,
  transaction_id: Identifier,
  result: Type.Union([Type.Literal('accepted'), Type.Literal('known')]),
});
export type TransactionReceipt = Static<typeof TransactionReceipt>;

export const transactionSubmit = defineRoute({
  name: 'transactionSubmit',
  method: 'POST',
  path: '/v1/transactions',
  group: 'transactions',
  summary:
    'Submits a signed transaction. After a lost answer ask for its status instead of repeating.',
  body: TransactionSubmission,
  answer: TransactionReceipt,
  media: 'application/json',
  weight: { base: 5 },
  caching: 'no_store',
  extension: false,
  errors: ['conflict', 'unknown_input', 'fee_too_low', 'expired', 'mempool_full', 'not_synced'],
});
