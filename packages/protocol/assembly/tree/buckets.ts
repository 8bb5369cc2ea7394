/**
 * Hashing for a store, many records in one call. A store keeps the leaves of a state tree, hashed, in
 * buckets of neighbours, and the inner nodes above them by bit; both are hashed here as they lie
 * there. Records lie in `IN` one behind the other, results are subtrees in `OUT` in the same order.
 */
import { BATCH_TOO_LARGE, OK } from '../errors';
import { IN, IN_BYTES, OUT, OUT_BYTES } from '../memory';
import { builderBegin, builderEnd, builderPush } from './builder';
import { KEY_BYTES } from './key';
import { join, leaf, SUBTREE_BYTES } from './subtree';

/** A leaf record before its value: key, sum u64 and the value's length u16. */
const LEAF_HEAD_BYTES: i32 = 64 + 8 + 2;
const LEAF_LENGTH_AT: usize = 72;
/** A bucket record before its leaves: their number u16. */
const BUCKET_HEAD_BYTES: i32 = 2;
const KEYED_SUBTREE_BYTES: i32 = 64 + 64;
const PAIR_BYTES: i32 = 2 * 64;
const RESULTS_MAX: i32 = OUT_BYTES / 64;

/** Leaves `key | sum u64 | value length u16 | value` of a tree. */
export function treeLeaves(tree: u32, count: i32): i32 {
  if (<u32>count > <u32>RESULTS_MAX) return BATCH_TOO_LARGE;
  const end = IN + IN_BYTES;
  let at = IN;
  for (let i = 0; i < count; i++) {
    const value = at + LEAF_HEAD_BYTES;
    if (value > end) return BATCH_TOO_LARGE;
    const length = <i32>load<u16>(at, LEAF_LENGTH_AT);
    if (value + length > end) return BATCH_TOO_LARGE;
    const error = leaf(tree, at, value, length, load<u64>(at, KEY_BYTES), OUT + i * SUBTREE_BYTES);
    if (error != OK) return error;
    at = value + length;
  }
  return OK;
}

/** Buckets `leaves u16`, then for each leaf, keys ascending: `key | subtree`. */
export function treeBuckets(count: i32): i32 {
  if (<u32>count > <u32>RESULTS_MAX) return BATCH_TOO_LARGE;
  const end = IN + IN_BYTES;
  let at = IN;
  for (let i = 0; i < count; i++) {
    if (at + BUCKET_HEAD_BYTES > end) return BATCH_TOO_LARGE;
    const leaves = <i32>load<u16>(at);
    at += BUCKET_HEAD_BYTES;
    if (at + leaves * KEYED_SUBTREE_BYTES > end) return BATCH_TOO_LARGE;
    builderBegin();
    for (let j = 0; j < leaves; j++, at += KEYED_SUBTREE_BYTES) {
      const error = builderPush(at, at + KEY_BYTES);
      if (error != OK) return error;
    }
    const error = builderEnd(OUT + i * SUBTREE_BYTES);
    if (error != OK) return error;
  }
  return OK;
}

/** Inner nodes at one bit, `left subtree | right subtree`. */
export function treeNodes(bit: i32, count: i32): i32 {
  if (<u32>count > <u32>RESULTS_MAX) return BATCH_TOO_LARGE;
  for (let i = 0; i < count; i++) {
    const pair = IN + i * PAIR_BYTES;
    const error = join(bit, pair, pair + SUBTREE_BYTES, OUT + i * SUBTREE_BYTES);
    if (error != OK) return error;
  }
  return OK;
}
