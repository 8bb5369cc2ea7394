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

/** In the order of the tree: by address, and of one address in the order of the cut. */
export function changeRecords(history: readonly HistoryEntry[]): Uint8Array[] {
  return encodeChangeLeaves(
    Array.from(orderOf(history), (index) => ({ ...(history[index] as HistoryEntry), index })),
  );
}

/** Bits of a number that is exact, and of a hexadecimal digit. */
const EXACT_BITS = 53;
const DIGIT_BITS = 4;

/**
 * The positions of the entries in the order of the tree. Numbers sort several times as fast as texts: each is made of the
 * first digits of an address and of the position, so addresses are compared as texts only where different ones begin alike.
 */
function orderOf(history: readonly HistoryEntry[]): Uint32Array {
  const count = history.length;
  const positionBits = Math.ceil(Math.log2(count + 1));
  const positions = 2 ** positionBits;
  const digits = Math.floor((EXACT_BITS - positionBits) / DIGIT_BITS);
  const keys = new Float64Array(count);
  for (const [at, { address }] of history.entries())
    keys[at] = Number.parseInt(address.slice(0, digits), 16) * positions + at;
  keys.sort();
  const order = new Uint32Array(count);
  for (let at = 0; at < count; at++) order[at] = (keys[at] as number) % positions;
  const beginning = (at: number) => Math.floor((keys[at] as number) / positions);
  const addressOf = (position: number) => (history[position] as HistoryEntry).address;
  const addressAt = (at: number) => addressOf(order[at] as number);
  let first = 0;
  let differ = false;
  for (let at = 1; at <= count; at++) {
    if (at < count && beginning(at) === beginning(first)) {
      differ ||= addressAt(at) !== addressAt(first);
      continue;
    }
    if (differ)
      order.subarray(first, at).sort((a, b) => compareText(addressOf(a), addressOf(b)) || a - b);
    first = at;
    differ = false;
  }
  return order;
}

export function outcomeRoot(root: ListRoot, outcomes: readonly TransactionOutcome[]): Identifier {
  return toHex(root('outcome', outcomeRecords(outcomes)));
}

export function changesRoot(root: ListRoot, history: readonly HistoryEntry[]): Identifier {
  return toHex(root('change', changeRecords(history)));
}
