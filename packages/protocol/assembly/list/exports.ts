/**
 * Hashing for Merkle lists in batches (`docs/protocol.md` 8.8): a cut has thousands of leaves, and must not
 * cost a call for each. Records lie in `IN`, digests of 48 bytes are written to `OUT` in the same order.
 */
import { hashBegin, hashLabel } from '../codec/label';
import { BATCH_TOO_LARGE, OK } from '../errors';
import { sha384End, sha384Update } from '../hash/sha384';
import { IN, OUT, OUT_BYTES } from '../memory';

const DIGEST_BYTES: i32 = 48;
const PAIR_BYTES: i32 = 2 * DIGEST_BYTES;

/** What a leaf is about; the order is that of `LIST_LEAVES` on the host. */
const LEAF_OUTCOME: i32 = 0;

function leafBegin(kind: i32): void {
  if (kind == LEAF_OUTCOME) hashBegin('SVC_OUTCOME_V1');
  else hashBegin('SVC_CHANGE_V1');
}

/** Records `length u16 | bytes`. */
export function listLeaves(kind: i32, count: i32): i32 {
  if (<u32>count > <u32>(OUT_BYTES / DIGEST_BYTES)) return BATCH_TOO_LARGE;
  let at = IN;
  for (let i = 0; i < count; i++) {
    const length = <i32>load<u16>(at);
    leafBegin(kind);
    sha384Update(at + 2, length);
    sha384End(OUT + i * DIGEST_BYTES);
    at += 2 + length;
  }
  return OK;
}

/** Nodes over pairs of digests. */
export function listNodes(count: i32): i32 {
  if (<u32>count > <u32>(OUT_BYTES / DIGEST_BYTES)) return BATCH_TOO_LARGE;
  for (let i = 0; i < count; i++)
    hashLabel('SVC_LIST_V1', IN + i * PAIR_BYTES, PAIR_BYTES, OUT + i * DIGEST_BYTES);
  return OK;
}
