/**
 * Leaves of outputs from their values, hashed in one go: `key | subtree` of 112 bytes each.
 */
import type { OutputLeafChange } from 'svc-ledger';
import { hashOutputs } from 'svc-wasm/internal';
import { LEAF_BYTES } from '../tree/bucket.ts';
import { KEY_BYTES } from '../tree/key-bits.ts';

const VALUE_BYTES = 109;

export interface OutputLeaf {
  readonly present: boolean;
  /** The 109 bytes of the value: outpoint, address, amount. */
  readonly value: Uint8Array;
  readonly leaf: Uint8Array;
}

export function outputLeaves(changes: readonly OutputLeafChange[]): OutputLeaf[] {
  const values = new Uint8Array(changes.length * VALUE_BYTES);
  changes.forEach(({ value }, index) => {
    values.set(value, index * VALUE_BYTES);
  });
  const leaves = hashOutputs(values);
  return changes.map(({ value, present }, index) => ({
    present,
    value,
    leaf: leaves.subarray(index * LEAF_BYTES, (index + 1) * LEAF_BYTES),
  }));
}

export function keyOfLeaf(leaf: Uint8Array): Uint8Array {
  return leaf.subarray(0, KEY_BYTES);
}
