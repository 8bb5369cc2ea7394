/** `pending`: transactions of the wallet that no finalized cut has decided. */
import type { MethodResult } from 'svc-api/rpc';
import type { Handler } from './handler.ts';
import { coinsOf } from './values.ts';

type Entry = MethodResult<'pending'>['transactions'][number];

export const pending: Handler<'pending'> = ({ state }) => ({
  transactions: state.journal.open().map((transaction) => ({
    transaction: transaction.transactionId,
    request_id: state.journal.request(transaction.request).requestId,
    kind: transaction.kind,
    state: transaction.state as Entry['state'],
    amount: coinsOf(transaction.amount),
    fee: coinsOf(transaction.fee),
    recipients: JSON.parse(transaction.recipients) as Entry['recipients'],
    attempts: transaction.attempts,
    valid_until_height: transaction.validUntil,
    created_at_millis: transaction.createdAtMillis,
  })),
});
