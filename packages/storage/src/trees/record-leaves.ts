/**
 * Leaves of positions, validators and keys: hashed in one go for each tree.
 */
import { type RecordLeafChange, TREES } from 'svc-ledger';
import { hashLeaves } from 'svc-wasm/internal';
import { Packer } from '../codec/packer.ts';
import { LEAF_BYTES, SUBTREE_BYTES } from '../tree/bucket.ts';
import { KEY_BYTES } from '../tree/key-bits.ts';

type Present = RecordLeafChange & { readonly value: Uint8Array };

/** Leaves `key | subtree` of changes of one tree that all have a value. */
export function recordLeaves(changes: readonly Present[]): Uint8Array[] {
  const [first] = changes;
  if (first === undefined) return [];
  const packer = new Packer();
  const records = changes.map(({ key, sum, value }) =>
    packer.raw(key).u64(sum).u16(value.length).raw(value).finish(),
  );
  const leaves: Uint8Array[] = [];
  hashLeaves(TREES[first.tree], records, (from, count, words, at) => {
    const bytes = new Uint8Array(words.buffer);
    for (let i = 0; i < count; i++) {
      const leaf = new Uint8Array(LEAF_BYTES);
      const start = 4 * at + i * SUBTREE_BYTES;
      leaf.set((changes[from + i] as Present).key);
      leaf.set(bytes.subarray(start, start + SUBTREE_BYTES), KEY_BYTES);
      leaves.push(leaf);
    }
  });
  return leaves;
}
