/**
 * Leaves of outputs from their values, hashed in one go: `key | subtree` of 128 bytes each.
 */
import {
  type NamedOutput,
  type OutpointKey,
  type OutputLeafChange,
  type OutputRecord,
  outputValues,
} from 'svc-ledger';
import { hashOutputs } from 'svc-wasm/protocol';
import type { RecentTable } from '../state/recent-table.ts';
import { LEAF_BYTES } from '../tree/bucket.ts';
import { KEY_BYTES } from '../tree/key-bits.ts';

const VALUE_BYTES = 109;

export interface PreparedLeaf {
  /** The 109 bytes of the value: outpoint, address, amount. */
  readonly value: Uint8Array;
  readonly leaf: Uint8Array;
}

export interface OutputLeaf extends PreparedLeaf {
  readonly outpoint: OutpointKey;
  readonly present: boolean;
  readonly output: OutputRecord;
}

/**
 * Leaves that were made ahead of the cut that needs them or were needed lately, by outpoint: most outputs are spent soon after they were
 * made. Only outputs of transactions and of the committed state belong here: an id of a transaction says what its outputs are, that of
 * a payout does not before its cut is final.
 */
export type PreparedLeaves = RecentTable<PreparedLeaf>;

/** Numbers of this many bits tell the place of an item; the rest of an exact number is for its key. */
const PLACE_BITS = 20;
const PLACES = 2 ** PLACE_BITS;

/**
 * In the order of the keys' first four bytes, which is nearly the order of the keys. Trees and tables are the same
 * whatever the order; in this one their nodes, blocks and skip lists are met next to each other.
 */
export function nearlySorted<T>(
  items: readonly T[],
  leafOf: (item: T) => Uint8Array,
): readonly T[] {
  if (items.length > PLACES) return items;
  const order = new Float64Array(items.length);
  items.forEach((item, place) => {
    order[place] = firstWord(leafOf(item)) * PLACES + place;
  });
  order.sort();
  return Array.from(order, (key) => items[key % PLACES] as T);
}

function firstWord(key: Uint8Array): number {
  let word = 0;
  for (let at = 0; at < 4; at++) word = word * 256 + (key[at] as number);
  return word;
}

/** Leaves `key | subtree` of outputs in their order. */
export function leavesOfValues(values: readonly Uint8Array[]): Uint8Array[] {
  const joined = new Uint8Array(values.length * VALUE_BYTES);
  values.forEach((value, index) => {
    joined.set(value, index * VALUE_BYTES);
  });
  const leaves = hashOutputs(joined);
  return values.map((_, index) => leaves.subarray(index * LEAF_BYTES, (index + 1) * LEAF_BYTES));
}

/** Consecutive leaves, of consecutive records that begin with the values. */
export function hashedOutputs(records: Uint8Array, recordBytes: number, count: number): Uint8Array {
  const values = new Uint8Array(count * VALUE_BYTES);
  for (let index = 0; index < count; index++) {
    const at = index * recordBytes;
    values.set(records.subarray(at, at + VALUE_BYTES), index * VALUE_BYTES);
  }
  return hashOutputs(values);
}

/** Prepared leaves in the order of the outputs; missing ones are made in one batch. */
export function leavesOfOutputs(
  named: readonly NamedOutput[],
  prepared: PreparedLeaves,
): PreparedLeaf[] {
  const known = named.map(({ outpoint }) => prepared.get(outpoint));
  const missing = named.filter((_, place) => known[place] === undefined);
  if (missing.length === 0) return known as PreparedLeaf[];
  const values = outputValues(missing);
  const made = hashOutputs(values);
  let next = 0;
  return known.map((leaf) => {
    if (leaf !== undefined) return leaf;
    const at = next++;
    return {
      value: values.subarray(at * VALUE_BYTES, (at + 1) * VALUE_BYTES),
      leaf: made.subarray(at * LEAF_BYTES, (at + 1) * LEAF_BYTES),
    };
  });
}

/** Nearly in the order of their keys. */
export function outputLeaves(
  changes: readonly OutputLeafChange[],
  prepared: PreparedLeaves,
): readonly OutputLeaf[] {
  const leaves = leavesOfOutputs(changes, prepared).map(({ value, leaf }, place) => {
    const { outpoint, output, present } = changes[place] as OutputLeafChange;
    return { outpoint, present, output, value, leaf };
  });
  return nearlySorted(leaves, ({ leaf }) => leaf);
}

export function keyOfLeaf(leaf: Uint8Array): Uint8Array {
  return leaf.subarray(0, KEY_BYTES);
}
