/**
 * Outcomes of executed transactions as documents show them.
 */
import type { CutTransaction, RecentTransaction } from 'svc-api';
import type { OutcomeRow } from 'svc-storage';
import type { Addresses } from './addresses.ts';

export function cutTransaction({ outcome }: OutcomeRow, addresses: Addresses): CutTransaction {
  const { noteHash, payers } = outcome;
  return {
    ...outcomeFields(outcome),
    ...(noteHash === '' ? {} : { note_hash: noteHash }),
    payers: payers.map((payer) => addresses.text(payer)),
  };
}

export function recentTransaction({ height, outcome }: OutcomeRow): RecentTransaction {
  return { finalized_height: height, ...outcomeFields(outcome) };
}

function outcomeFields(outcome: OutcomeRow['outcome']) {
  const { transactionId, blockId, kind, reason, fee } = outcome;
  return {
    transaction_id: transactionId,
    block_id: blockId,
    outcome: kind,
    ...(reason === '' ? {} : { reason }),
    fee: String(fee),
  };
}
