/**
 * A subtree in 64 bytes: `hash | sum u64 | count u64`.
 */
import { expectBytes } from '../base/bytes.ts';
import { Reader } from '../base/reader.ts';
import { Writer } from '../base/writer.ts';
import { HASH_BYTES, SUBTREE_BYTES } from './layout.ts';

export interface Subtree {
  readonly hash: Uint8Array;
  readonly sum: bigint;
  readonly count: bigint;
}

export function encodeSubtree(subtree: Subtree, path = 'subtree'): Uint8Array {
  return new Writer(SUBTREE_BYTES)
    .raw(expectBytes(subtree.hash, `${path}.hash`, HASH_BYTES))
    .u64(subtree.sum)
    .u64(subtree.count)
    .finish();
}

export function decodeSubtree(bytes: Uint8Array, path = 'subtree'): Subtree {
  const reader = new Reader(expectBytes(bytes, path, SUBTREE_BYTES), path);
  return { hash: reader.raw(HASH_BYTES), sum: reader.u64(), count: reader.u64() };
}
