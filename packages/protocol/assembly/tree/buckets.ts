/**
 * Hashing for a store, many records in one call. A store keeps the leaves of a state tree, hashed, in
 * buckets of neighbours, and the inner nodes above them by bit; both are hashed here as they are
 * there. Records are in `IN` one after the other, results are subtrees in `OUT` in the same order.
 */
import { BATCH_TOO_LARGE, OK } from '../errors';
import { hashesPairs } from '../hash/sha384';
import { IN, IN_BYTES, OUT, OUT_BYTES } from '../memory';
import { BUCKET_HEAD_BYTES, bucketsSideBySide, hashBucket, KEYED_SUBTREE_BYTES } from './bucket-lanes';
import { KEY_BYTES } from './key';
import { join, joinPair, leaf, SUBTREE_BYTES } from './subtree';

/** A leaf record before its value: key, sum u64 and the value's length u16. */
const LEAF_HEAD_BYTES: i32 = 64 + 8 + 2;
const LEAF_LENGTH_AT: usize = 72;
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
  // Only hashing buckets in order finds the first of several faults.
  if (hashesPairs() && bucketsSideBySide(count) == OK) return OK;
  return bucketsInTurn(count);
}

function bucketsInTurn(count: i32): i32 {
  const end = IN + IN_BYTES;
  let at = IN;
  for (let i = 0; i < count; i++) {
    if (at + BUCKET_HEAD_BYTES > end) return BATCH_TOO_LARGE;
    const leaves = <i32>load<u16>(at);
    at += BUCKET_HEAD_BYTES;
    if (at + leaves * KEYED_SUBTREE_BYTES > end) return BATCH_TOO_LARGE;
    const error = hashBucket(at, leaves, OUT + i * SUBTREE_BYTES);
    if (error != OK) return error;
    at += leaves * KEYED_SUBTREE_BYTES;
  }
  return OK;
}

/** Inner nodes at one bit, `left subtree | right subtree`. */
export function treeNodes(bit: i32, count: i32): i32 {
  if (<u32>count > <u32>RESULTS_MAX) return BATCH_TOO_LARGE;
  let i = 0;
  for (; i + 1 < count; i += 2) {
    const pair = IN + i * PAIR_BYTES;
    const out = OUT + i * SUBTREE_BYTES;
    const next = pair + PAIR_BYTES;
    const error = joinPair(
      bit, pair, pair + SUBTREE_BYTES, out,
      bit, next, next + SUBTREE_BYTES, out + SUBTREE_BYTES,
    );
    if (error != OK) return error;
  }
  if (i == count) return OK;
  const last = IN + i * PAIR_BYTES;
  return join(bit, last, last + SUBTREE_BYTES, OUT + i * SUBTREE_BYTES);
}
