/**
 * Transactions, their outputs and what became of them, waiting ones and finalized ones, as documents show them.
 */
import type {
  AddressChange,
  AddressChanged,
  BlockAccepted,
  ChangedOutput,
  CutChange,
  CutTransaction,
  HistoryEvent,
  Outpoint as OutpointDocument,
  PendingTransaction,
  RecentTransaction,
  Utxo,
} from 'svc-api';
import { type HistoryEntry, type Outpoint, outpointOf } from 'svc-ledger';
import type {
  AddressEntry,
  Balance,
  ChangeRow,
  HistoryRow,
  OutcomeRow,
  UnspentRecord,
} from 'svc-storage';
import type { PooledBlock, PooledTransaction } from '../ports.ts';
import type { Addresses } from './addresses.ts';

export function outpointDocument({ transactionId, outputIndex }: Outpoint): OutpointDocument {
  return { transaction_id: transactionId, output_index: outputIndex };
}

export function utxoDocument({ outpoint, amount, source, height }: UnspentRecord): Utxo {
  return {
    outpoint: outpointDocument(outpointOf(outpoint)),
    amount: String(amount),
    source,
    finalized_height: height,
  };
}

function entryFields(entry: AddressEntry) {
  return {
    kind: entry.kind,
    outpoint: outpointDocument(outpointOf(entry.outpoint)),
    amount: String(entry.amount),
    source: entry.source,
    transaction_id: entry.transactionId,
  };
}

export function historyEvent({ height, entry }: HistoryRow): HistoryEvent {
  return { finalized_height: height, ...entryFields(entry) };
}

export function addressChange(address: string, { height, entry }: HistoryRow): AddressChange {
  return { address, finalized_height: height, ...entryFields(entry) };
}

export function cutChange(address: string, { index, entry }: ChangeRow): CutChange {
  return { index, address, ...entryFields(entry) };
}

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

/** With `asked`, the inputs and outputs of those addresses alone. */
export function pendingTransaction(
  pooled: PooledTransaction,
  addresses: Addresses,
  asked?: ReadonlySet<string>,
): PendingTransaction {
  const isShown = (address: string) => asked === undefined || asked.has(address);
  const { transaction, spent } = pooled;
  return {
    transaction_id: pooled.id,
    first_seen_millis: pooled.receivedAtMillis,
    fee: pooled.fee.toString(),
    mass: pooled.mass.toString(),
    bytes: pooled.wire.length,
    received: transaction.outputs.flatMap(({ address, amount }, index) =>
      isShown(address)
        ? [{ address: addresses.text(address), output_index: index, amount: String(amount) }]
        : [],
    ),
    spent: transaction.inputs.flatMap((input, index) => {
      const output = spent[index];
      if (output === undefined || !isShown(output.address)) return [];
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
