/**
 * How a request is answered that did not simply succeed. Repeats get the same answer, marked as such.
 */
import { WalletError } from '../base/wallet-error.ts';
import type { JournalRequest, JournalTransaction } from '../state/journal.ts';

export interface RepeatMarks {
  readonly duplicate?: true;
  readonly mismatch?: true;
}

export function nodeRefused(
  { refusal, transactionId }: JournalTransaction,
  marks: RepeatMarks,
): WalletError {
  const { code, message } = JSON.parse(refusal as string) as { code: string; message: string };
  return new WalletError('node_refused', `the node refused the transaction: ${message}`, {
    hint: 'nothing was paid; the outputs are free again once the transaction has expired',
    details: { transaction: transactionId, node_code: code, ...marks },
  });
}

export function outcomeUnknown(transaction: string | null, marks: RepeatMarks): WalletError {
  const message =
    transaction === null
      ? 'outputs are being merged before the payment is made'
      : 'the node has not confirmed that it has the transaction';
  return new WalletError('outcome_unknown', message, {
    hint: 'repeat with the same request_id; the daemon goes on with the same request',
    details: { transaction, ...marks },
  });
}

export function refusedBefore({ refusal }: JournalRequest, marks: RepeatMarks): WalletError {
  const { kind, message } = JSON.parse(refusal as string) as Pick<WalletError, 'kind' | 'message'>;
  return new WalletError(kind, message, { details: { ...marks } });
}
