/**
 * Leaves of outputs from their values, hashed in one go: `key | subtree` of 112 bytes each.
 */
import { type OutpointKey, type OutputLeafChange, outputValue } from 'svc-ledger';
import { hashOutputs } from 'svc-wasm/internal';
import { LEAF_BYTES } from '../tree/bucket.ts';
import { KEY_BYTES } from '../tree/key-bits.ts';

const VALUE_BYTES = 109;

export interface PreparedLeaf {
  /** The 109 bytes of the value: outpoint, address, amount. */
  readonly value: Uint8Array;
  readonly leaf: Uint8Array;
}

export interface OutputLeaf extends PreparedLeaf {
  readonly present: boolean;
}

/**
 * Leaves made ahead of the cut that needs them, by outpoint. Only outputs of transactions belong here: an
 * id of a transaction says what its outputs are, that of a payout does not.
 */
export type PreparedLeaves = Map<OutpointKey, PreparedLeaf>;

/** Leaves `key | subtree` of outputs in their order. */
export function leavesOfValues(values: readonly Uint8Array[]): Uint8Array[] {
  const joined = new Uint8Array(values.length * VALUE_BYTES);
  values.forEach((value, index) => {
    joined.set(value, index * VALUE_BYTES);
  });
  const leaves = hashOutputs(joined);
  return values.map((_, index) => leaves.subarray(index * LEAF_BYTES, (index + 1) * LEAF_BYTES));
}

export function outputLeaves(
  changes: readonly OutputLeafChange[],
  prepared: PreparedLeaves,
): OutputLeaf[] {
  const missing = changes.filter(({ outpoint }) => !prepared.has(outpoint));
  const values = missing.map(({ outpoint, output }) => outputValue(outpoint, output));
  const made = leavesOfValues(values);
  let next = 0;
  return changes.map(({ outpoint, present }) => {
    const known = prepared.get(outpoint);
    if (known !== undefined) return { present, value: known.value, leaf: known.leaf };
    const at = next++;
    return { present, value: values[at] as Uint8Array, leaf: made[at] as Uint8Array };
  });
}

export function keyOfLeaf(leaf: Uint8Array): Uint8Array {
  return leaf.subarray(0, KEY_BYTES);
}
