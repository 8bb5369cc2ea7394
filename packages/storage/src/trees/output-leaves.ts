/**
 * Leaves of outputs from their values, hashed in one go: `key | subtree` of 112 bytes each.
 */
import { type OutpointKey, type OutputLeafChange, TREES } from 'svc-ledger';
import { concatBytes, LABELS } from 'svc-wasm/base';
import { hashLabel, hashOutputs } from 'svc-wasm/internal';
import { LEAF_BYTES } from '../tree/bucket.ts';
import { KEY_BYTES } from '../tree/key-bits.ts';
import { leavesOfRecords } from './record-leaves.ts';

const VALUE_BYTES = 109;
const ADDRESS_AT = 52;
const AMOUNT_AT = 101;
const BURN_TYPE = 2;

export interface OutputLeaf {
  readonly present: boolean;
  /** The 109 bytes of the value: outpoint, address, amount. */
  readonly value: Uint8Array;
  readonly leaf: Uint8Array;
}

/**
 * Leaves made ahead of the cut that needs them, by outpoint. Only outputs of transactions belong here: an
 * id of a transaction says what its outputs are, that of a payout does not.
 */
export type PreparedLeaves = Map<OutpointKey, Uint8Array>;

/** Leaves `key | subtree` of outputs in their order. */
export function leavesOfValues(values: readonly Uint8Array[]): Uint8Array[] {
  const spendable = values.filter((value) => !isBurned(value));
  const joined = new Uint8Array(spendable.length * VALUE_BYTES);
  spendable.forEach((value, index) => {
    joined.set(value, index * VALUE_BYTES);
  });
  const leaves = hashOutputs(joined);
  let next = 0;
  return values.map((value) => {
    if (isBurned(value)) return burnedLeaf(value);
    const at = LEAF_BYTES * next++;
    return leaves.subarray(at, at + LEAF_BYTES);
  });
}

/**
 * A reward paid to the burn address stays an output that nobody can spend. The kernel hashes outputs in
 * bulk only for owners who can, so these rare ones take the long way.
 */
function isBurned(value: Uint8Array): boolean {
  return value[ADDRESS_AT] === BURN_TYPE;
}

function burnedLeaf(value: Uint8Array): Uint8Array {
  const halves = [value.subarray(ADDRESS_AT, AMOUNT_AT), value.subarray(0, ADDRESS_AT)];
  const key = concatBytes(
    ...halves.map((half) => hashLabel(LABELS.treeKey, half).subarray(0, KEY_BYTES / 2)),
  );
  const sum = new DataView(value.buffer, value.byteOffset + AMOUNT_AT).getBigUint64(0, true);
  const [leaf] = leavesOfRecords(TREES.outputs, [{ key, sum, value }]);
  return leaf as Uint8Array;
}

export function outputLeaves(
  changes: readonly OutputLeafChange[],
  prepared: PreparedLeaves,
): OutputLeaf[] {
  const known = changes.map(({ outpoint }) => prepared.get(outpoint));
  const missing = changes.flatMap(({ value }, index) =>
    known[index] === undefined ? [value] : [],
  );
  const made = leavesOfValues(missing)[Symbol.iterator]();
  return changes.map(({ value, present }, index) => ({
    present,
    value,
    leaf: known[index] ?? (made.next().value as Uint8Array),
  }));
}

export function keyOfLeaf(leaf: Uint8Array): Uint8Array {
  return leaf.subarray(0, KEY_BYTES);
}
