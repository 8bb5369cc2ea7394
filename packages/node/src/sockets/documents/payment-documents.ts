/**
 * Waiting transactions, blocks and changed addresses as documents.
 */
import type { AddressChanged, BlockAccepted, ChangedOutput, PendingTransaction } from 'svc-api';
import { type HistoryEntry, outpointOf } from 'svc-ledger';
import type { Balance } from 'svc-storage';
import type { PooledBlock } from '../../ports/blocks.ts';
import type { PooledTransaction } from '../../ports/mempool.ts';
import type { AddressText } from './address-text.ts';

export function pendingTransaction(
  pooled: PooledTransaction,
  addressText: AddressText,
): PendingTransaction {
  const { inputs, outputs } = pooled.transaction;
  return {
    transaction_id: pooled.id,
    first_seen_millis: pooled.receivedAtMillis,
    fee: pooled.fee.toString(),
    mass: pooled.mass.toString(),
    received: outputs.map(({ address, amount }, index) => ({
      address: addressText(address),
      output_index: index,
      amount: amount.toString(),
    })),
    spent: pooled.spent.map(({ address, amount }, index) => ({
      address: addressText(address),
      outpoint: {
        transaction_id: inputs[index]?.transactionId ?? '',
        output_index: inputs[index]?.outputIndex ?? 0,
      },
      amount: amount.toString(),
    })),
  };
}

export function blockAccepted(
  { block, transactions, minerTag }: PooledBlock,
  addressText: AddressText,
): BlockAccepted {
  return {
    block_id: block.id,
    parents: [...block.parents],
    transactions: transactions.map(({ id }) => id),
    reward_address: addressText(block.payoutAddress),
    miner_tag: minerTag,
  };
}

export interface AddressLines {
  readonly address: string;
  readonly entries: readonly HistoryEntry[];
}

export function addressChanged(
  { address, entries }: AddressLines,
  height: number,
  balance: Balance,
  addressText: AddressText,
): AddressChanged {
  const linesOf = (kind: HistoryEntry['kind']) =>
    entries.filter((entry) => entry.kind === kind).map(changedOutput);
  return {
    address: addressText(address),
    finalized_height: height,
    received: linesOf('received'),
    spent: linesOf('spent'),
    balance: balance.amount.toString(),
    utxos: balance.outputs,
  };
}

function changedOutput({ outpoint, amount, source, transactionId }: HistoryEntry): ChangedOutput {
  const { transactionId: madeBy, outputIndex } = outpointOf(outpoint);
  return {
    outpoint: { transaction_id: madeBy, output_index: outputIndex },
    amount: amount.toString(),
    source,
    transaction_id: transactionId,
  };
}
