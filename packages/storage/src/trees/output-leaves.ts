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

/** Leaves by outpoint, made ahead of the cut that needs them. */
export class PreparedLeaves {
  readonly #leaves = new Map<string, Uint8Array>();

  /** Hashes outputs and returns their leaves in order. */
  add(values: readonly Uint8Array[]): Uint8Array[] {
    const leaves = leavesOfValues(values);
    leaves.forEach((leaf, index) => {
      this.#leaves.set(nameOf(values[index] as Uint8Array), leaf);
    });
    return leaves;
  }

  get(value: Uint8Array): Uint8Array | undefined {
    return this.#leaves.get(nameOf(value));
  }

  clear(): void {
    this.#leaves.clear();
  }
}

/** An output is told from others by its whole value: two cuts may propose different ones. */
function nameOf(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
}

function leavesOfValues(values: readonly Uint8Array[]): Uint8Array[] {
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
  const missing = changes.filter(({ value }) => prepared.get(value) === undefined);
  prepared.add(missing.map(({ value }) => value));
  return changes.map(({ value, present }) => ({
    present,
    value,
    leaf: prepared.get(value) as Uint8Array,
  }));
}

export function keyOfLeaf(leaf: Uint8Array): Uint8Array {
  return leaf.subarray(0, KEY_BYTES);
}
