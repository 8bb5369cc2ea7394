/**
 * Leaves from keys, sums and values, hashed in one go for each tree.
 */
import {
  keyValue,
  positionValue,
  principalOf,
  recordKey,
  type TreeName,
  validatorValue,
} from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import { hashLeaves } from 'svc-wasm/protocol';
import { unpacked } from '../codec/codec.ts';
import { Packer } from '../codec/packer.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import type { Entry } from '../key-value/key-value-store.ts';
import { LEAF_BYTES, SUBTREE_BYTES } from '../tree/bucket.ts';
import { KEY_BYTES } from '../tree/key-bits.ts';

export interface LeafRecord {
  /** 64 bytes: the ledger's `recordKey`. */
  readonly key: Uint8Array;
  readonly sum: bigint;
  readonly value: Uint8Array;
}

/** Leaves `key | subtree` of one tree in their order. */
export function leavesOfRecords(tree: number, records: readonly LeafRecord[]): Uint8Array[] {
  const packer = new Packer();
  const packed = records.map(({ key, sum, value }) =>
    packer.raw(key).u64(sum).u16(value.length).raw(value).finish(),
  );
  const leaves: Uint8Array[] = [];
  hashLeaves(tree, packed, (from, count, words, at) => {
    const bytes = new Uint8Array(words.buffer);
    for (let i = 0; i < count; i++) {
      const leaf = new Uint8Array(LEAF_BYTES);
      const start = 4 * at + i * SUBTREE_BYTES;
      leaf.set((records[from + i] as LeafRecord).key);
      leaf.set(bytes.subarray(start, start + SUBTREE_BYTES), KEY_BYTES);
      leaves.push(leaf);
    }
  });
  return leaves;
}

type RecordTree = Exclude<TreeName, 'outputs'>;

/** Leaves of records as their table has them, in their order. */
export function leavesOfEntries(
  table: RecordTree,
  tree: number,
  entries: readonly Entry[],
): Uint8Array[] {
  const records = entries.map(([key, record]) => ({
    key: recordKey(toHex(key.subarray(1))),
    ...LEAF_OF[table](record),
  }));
  return leavesOfRecords(tree, records);
}

const LEAF_OF: Readonly<
  Record<RecordTree, (record: Uint8Array) => Pick<LeafRecord, 'sum' | 'value'>>
> = {
  positions: (record) => {
    const position = unpacked(STATE_CODECS.positions, record, 'positions');
    return { value: positionValue(position), sum: principalOf(position) };
  },
  validators: (record) => {
    const validator = unpacked(STATE_CODECS.validators, record, 'validators');
    return { value: validatorValue(validator), sum: validator.stake };
  },
  keys: (record) => ({ value: keyValue(unpacked(STATE_CODECS.keys, record, 'keys')), sum: 0n }),
};
