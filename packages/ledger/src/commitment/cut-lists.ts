/**
 * The roots of the lists that a cut's header commits to: what became of every transaction of the executed blocks, in
 * order, and what outputs came and went, by address.
 */
import type { HistoryEntry, TransactionOutcome } from '../cut.ts';
import { compareText, type Identifier } from '../identifiers.ts';
import { encodeChangeLeaves, encodeOutcomeLeaves, type ListLeaf, toHex } from '../protocol.ts';

/** The root of the Merkle list with these leaves (`docs/protocol.md` 8.8). */
export type ListRoot = (leaf: ListLeaf, records: readonly Uint8Array[]) => Uint8Array;

export function outcomeRecords(outcomes: readonly TransactionOutcome[]): Uint8Array[] {
  return encodeOutcomeLeaves(outcomes);
}

/** Leading hexadecimal digits of an address that an exact number holds. */
const LEADING_DIGITS = 13;

/** In the order of the tree: by address, and of one address in the order of the cut. */
export function changeRecords(history: readonly HistoryEntry[]): Uint8Array[] {
  const addressAt = (index: number) => (history[index] as HistoryEntry).address;
  const leading = Float64Array.from(history, ({ address }) =>
    Number.parseInt(address.slice(0, LEADING_DIGITS), 16),
  );
  const order = Uint32Array.from(history, (_, index) => index).sort((a, b) => {
    const difference = (leading[a] as number) - (leading[b] as number);
    return difference || compareText(addressAt(a), addressAt(b)) || a - b;
  });
  return encodeChangeLeaves(
    Array.from(order, (index) => ({ ...(history[index] as HistoryEntry), index })),
  );
}

export function outcomeRoot(root: ListRoot, outcomes: readonly TransactionOutcome[]): Identifier {
  return toHex(root('outcome', outcomeRecords(outcomes)));
}

export function changesRoot(root: ListRoot, history: readonly HistoryEntry[]): Identifier {
  return toHex(root('change', changeRecords(history)));
}
