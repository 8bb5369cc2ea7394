/**
 * Outputs and what became of them, as documents show them.
 */
import type {
  AddressChange,
  CutChange,
  HistoryEvent,
  Outpoint as OutpointDocument,
  Utxo,
} from 'svc-api';
import { type Outpoint, outpointOf } from 'svc-ledger';
import type { AddressEntry, ChangeRow, HistoryRow, UnspentRecord } from 'svc-storage';

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
