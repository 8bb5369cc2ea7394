/**
 * Leaves from keys, sums and values, hashed in one go for each tree.
 */
import { hashLeaves } from 'svc-wasm/protocol';
import { Packer } from '../codec/packer.ts';
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
