/**
 * Tree hashing for the host, many records in one call: a tree of millions of leaves must not cost a
 * call for each node. Records are in `IN`, results are written to `OUT` in the same order; a batch
 * that does not fit is an error of the host and is refused.
 */
import { BATCH_TOO_LARGE, OK } from '../errors';
import { IN, IN_BYTES, OUT, OUT_BYTES } from '../memory';
import { builderBegin, builderEnd, builderPush } from './builder';
import { KEY_BYTES } from './key';
import { checkOutput, OUTPUT_BYTES, outputKey, outputLeaf, outputLeafPair } from './output';

const KEYED_SUBTREE_BYTES: i32 = 64 + 64;

/** Records are values of outputs; results are `key | subtree` of their leaves. */
export function treeOutputs(count: i32): i32 {
  if (<u32>count > <u32>(OUT_BYTES / KEYED_SUBTREE_BYTES)) return BATCH_TOO_LARGE;
  for (let i = 0; i < count; i++) {
    const value = IN + i * OUTPUT_BYTES;
    const error = checkOutput(value);
    if (error != OK) return error;
    const key = OUT + i * KEYED_SUBTREE_BYTES;
    outputKey(value, key);
    if ((i & 1) == 0) continue;
    const before = key - KEYED_SUBTREE_BYTES;
    outputLeafPair(before, value - OUTPUT_BYTES, before + KEY_BYTES, key, value, key + KEY_BYTES);
  }
  if ((count & 1) == 0) return OK;
  const last = OUT + (count - 1) * KEYED_SUBTREE_BYTES;
  return outputLeaf(last, IN + (count - 1) * OUTPUT_BYTES, last + KEY_BYTES);
}

export function treeRootBegin(): void {
  builderBegin();
}

/** Records `key | subtree`, keys ascending within and across batches. */
export function treeRootPush(count: i32): i32 {
  if (<u32>count > <u32>(IN_BYTES / KEYED_SUBTREE_BYTES)) return BATCH_TOO_LARGE;
  for (let i = 0; i < count; i++) {
    const key = IN + i * KEYED_SUBTREE_BYTES;
    const error = builderPush(key, key + KEY_BYTES);
    if (error != OK) return error;
  }
  return OK;
}

/** Writes the root's subtree to `OUT`. */
export function treeRootEnd(): i32 {
  return builderEnd(OUT);
}
