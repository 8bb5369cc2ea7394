/**
 * When a status is final: the transaction was executed, or it failed in a finalized cut in a way that no
 * later cut can change. Everything else is what the answering node has seen so far.
 */
import type { TransactionStatusEntry } from '../documents/transaction-status.ts';

export function isFinalStatus(status: TransactionStatusEntry): boolean {
  if (status.lifecycle === 'finalized') return true;
  const { lifecycle, failure, finalized_cut } = status;
  const settled = failure === 'conflict' || failure === 'expired';
  return lifecycle === 'failed' && settled && finalized_cut !== null;
}
