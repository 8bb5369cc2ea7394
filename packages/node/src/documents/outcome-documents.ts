/**
 * Outcomes of executed transactions as documents show them.
 */
import type { CutTransaction, RecentTransaction } from 'svc-api';
import type { OutcomeRow } from 'svc-storage';

export function cutTransaction({ outcome }: OutcomeRow): CutTransaction {
  const { transactionId, blockId, kind, reason, fee } = outcome;
  return {
    transaction_id: transactionId,
    block_id: blockId,
    outcome: kind,
    ...(reason === '' ? {} : { reason }),
    fee: String(fee),
  };
}

export function recentTransaction(row: OutcomeRow): RecentTransaction {
  return { finalized_height: row.height, ...cutTransaction(row) };
}
