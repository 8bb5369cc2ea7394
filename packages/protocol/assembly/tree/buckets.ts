/**
 * Roots of many small subtrees in one call. A store keeps the leaves of a state tree in buckets of
 * neighbours; a bucket's record is what is hashed here, so nothing is repacked on the way.
 *
 * Record: `leaves u16`, then for each leaf, keys ascending: `key | sum u64 | value length u16 | value`.
 */
import { BATCH_TOO_LARGE, OK } from '../errors';
import { IN, IN_BYTES, OUT, OUT_BYTES } from '../memory';
import { builderBegin, builderEnd, builderPush } from './builder';
import { KEY_BYTES } from './key';
import { leaf, SUBTREE_BYTES } from './subtree';

const LEAF_HEAD_BYTES: i32 = 48 + 8 + 2;
const LEAF: usize = memory.data(64, 16);

/** Hashes `count` records that lie one behind the other in `IN`; their subtrees go to `OUT`. */
export function treeBuckets(tree: u32, count: i32): i32 {
  if (<u32>count > <u32>(OUT_BYTES / SUBTREE_BYTES)) return BATCH_TOO_LARGE;
  const end = IN + IN_BYTES;
  let at = IN;
  for (let i = 0; i < count; i++) {
    if (at + 2 > end) return BATCH_TOO_LARGE;
    const leaves = load<u16>(at);
    at += 2;
    builderBegin();
    for (let j: u16 = 0; j < leaves; j++) {
      if (at + LEAF_HEAD_BYTES > end) return BATCH_TOO_LARGE;
      const value = at + LEAF_HEAD_BYTES;
      const length = <i32>load<u16>(at, 56);
      if (value + length > end) return BATCH_TOO_LARGE;
      let error = leaf(tree, at, value, length, load<u64>(at, KEY_BYTES), LEAF);
      if (error == OK) error = builderPush(at, LEAF);
      if (error != OK) return error;
      at = value + length;
    }
    const error = builderEnd(OUT + i * SUBTREE_BYTES);
    if (error != OK) return error;
  }
  return OK;
}
