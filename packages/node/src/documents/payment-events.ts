/**
 * Waiting transactions, blocks and changed addresses as documents.
 */
import type { AddressChanged, BlockAccepted, ChangedOutput, PendingTransaction } from 'svc-api';
import { type HistoryEntry, outpointOf } from 'svc-ledger';
import type { Balance } from 'svc-storage';
import type { PooledBlock } from '../ports/blocks.ts';
import type { PooledTransaction } from '../ports/mempool.ts';
import type { Addresses } from './addresses.ts';
import { outpointDocument } from './output-documents.ts';

export function pendingTransaction(
  pooled: PooledTransaction,
  addresses: Addresses,
): PendingTransaction {
  const { transaction, spent } = pooled;
  return {
    transaction_id: pooled.id,
    first_seen_millis: pooled.receivedAtMillis,
    fee: pooled.fee.toString(),
    mass: pooled.mass.toString(),
    bytes: pooled.wire.length,
    received: transaction.outputs.map(({ address, amount }, index) => ({
      address: addresses.text(address),
      output_index: index,
      amount: amount.toString(),
    })),
    spent: transaction.inputs.flatMap((input, index) => {
      const output = spent[index];
      if (output === undefined) return [];
      const address = addresses.text(output.address);
      return [{ address, outpoint: outpointDocument(input), amount: output.amount.toString() }];
    }),
  };
}

export function blockAccepted(
  { block, transactions, minerTag }: PooledBlock,
  addresses: Addresses,
): BlockAccepted {
  return {
    block_id: block.id,
    parents: [...block.parents],
    transactions: transactions.map(({ id }) => id),
    reward_address: addresses.text(block.payoutAddress),
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
  addresses: Addresses,
): AddressChanged {
  const linesOf = (kind: HistoryEntry['kind']) =>
    entries.filter((entry) => entry.kind === kind).map(changedOutput);
  return {
    address: addresses.text(address),
    finalized_height: height,
    received: linesOf('received'),
    spent: linesOf('spent'),
    balance: balance.amount.toString(),
    utxos: balance.outputs,
  };
}

function changedOutput({ outpoint, amount, source, transactionId }: HistoryEntry): ChangedOutput {
  return {
    outpoint: outpointDocument(outpointOf(outpoint)),
    amount: amount.toString(),
    source,
    transaction_id: transactionId,
  };
}
