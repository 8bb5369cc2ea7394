/**
 * Hashes buckets two at a time. Each of two lanes has a bucket, whose joins are listed in an order in which none needs a later one;
 * both lanes make their next join together, and a lane that is done takes the next bucket. Buckets are as in `buckets.ts`.
 */
import { BATCH_TOO_LARGE, KEYS_NOT_ASCENDING, OK } from '../errors';
import { IN, IN_BYTES, OUT } from '../memory';
import { builderBegin, builderEnd, builderPush } from './builder';
import { bitOf, firstDifferentBit, KEY_BITS, KEY_BYTES } from './key';
import { join, joinPair, SUBTREE_BYTES } from './subtree';

/** A bucket record before its leaves: their number u16. */
export const BUCKET_HEAD_BYTES: i32 = 2;
export const KEYED_SUBTREE_BYTES: i32 = 64 + 64;

/** Buckets of more leaves, which no store has, are hashed by themselves. */
const LANE_LEAVES_MAX: i32 = 16;

/** A lane: subtrees by their first leaf, then joins, then its numbers: next join, end of joins, where the result goes. */
const LANE_BYTES: i32 = 1152;
const JOINS_AT: usize = 1024;
const NEXT_AT: usize = 1088;
const END_AT: usize = 1092;
const RESULT_AT: usize = 1096;
const LANES: usize = memory.data(2304, 16);
const OTHER_LANE: usize = LANES + LANE_BYTES;

/** A join: its bit u16, then the first leaf of the left and of the right subtree. */
const JOIN_BYTES: usize = 4;
const LEFT_AT: usize = 2;
const RIGHT_AT: usize = 3;

/** First leaves of subtrees that are not joined yet, and the bits at which neighbours part. */
const STACK: usize = memory.data(16, 16);
const BITS: usize = memory.data(32, 16);

/** The address of the next bucket, how many are left, and where its result goes. */
let at: usize = 0;
let left: i32 = 0;
let result: usize = 0;

/** An error says that there is one, not that it is the first. */
export function bucketsSideBySide(count: i32): i32 {
  at = IN;
  left = count;
  result = OUT;
  let error = fill(LANES);
  if (error == OK) error = fill(OTHER_LANE);
  while (error == OK && isBusy(LANES) && isBusy(OTHER_LANE)) {
    const next = load<usize>(LANES, NEXT_AT);
    const other = load<usize>(OTHER_LANE, NEXT_AT);
    const leftSubtree = leftOf(LANES, next);
    const otherLeft = leftOf(OTHER_LANE, other);
    error = joinPair(
      <i32>load<u16>(next), leftSubtree, rightOf(LANES, next), leftSubtree,
      <i32>load<u16>(other), otherLeft, rightOf(OTHER_LANE, other), otherLeft,
    );
    if (error == OK) error = advance(LANES);
    if (error == OK) error = advance(OTHER_LANE);
  }
  const lane = isBusy(LANES) ? LANES : OTHER_LANE;
  while (error == OK && isBusy(lane)) {
    const next = load<usize>(lane, NEXT_AT);
    const leftSubtree = leftOf(lane, next);
    error = join(<i32>load<u16>(next), leftSubtree, rightOf(lane, next), leftSubtree);
    if (error == OK) error = advance(lane);
  }
  return error;
}

function isBusy(lane: usize): bool {
  return load<usize>(lane, NEXT_AT) != load<usize>(lane, END_AT);
}

function leftOf(lane: usize, next: usize): usize {
  return lane + <usize>load<u8>(next, LEFT_AT) * SUBTREE_BYTES;
}

function rightOf(lane: usize, next: usize): usize {
  return lane + <usize>load<u8>(next, RIGHT_AT) * SUBTREE_BYTES;
}

/** Goes to the next join of a lane, or to the next bucket. */
function advance(lane: usize): i32 {
  store<usize>(lane, load<usize>(lane, NEXT_AT) + JOIN_BYTES, NEXT_AT);
  if (isBusy(lane)) return OK;
  memory.copy(load<usize>(lane, RESULT_AT), lane, SUBTREE_BYTES);
  return fill(lane);
}

/** Gives a lane the next bucket that has anything to join; the lane is not busy if there is none. */
function fill(lane: usize): i32 {
  const end = IN + IN_BYTES;
  store<usize>(lane, 0, NEXT_AT);
  store<usize>(lane, 0, END_AT);
  while (left > 0) {
    const leavesAt = at + BUCKET_HEAD_BYTES;
    if (leavesAt > end) return BATCH_TOO_LARGE;
    const leaves = <i32>load<u16>(at);
    if (leavesAt + leaves * KEYED_SUBTREE_BYTES > end) return BATCH_TOO_LARGE;
    const out = result;
    at = leavesAt + leaves * KEYED_SUBTREE_BYTES;
    result += SUBTREE_BYTES;
    left--;
    if (leaves > 1 && leaves <= LANE_LEAVES_MAX) return listJoins(lane, leavesAt, leaves, out);
    const error = hashBucket(leavesAt, leaves, out);
    if (error != OK) return error;
  }
  return OK;
}

/** Hashes one bucket by itself. */
export function hashBucket(leavesAt: usize, leaves: i32, out: usize): i32 {
  builderBegin();
  for (let i = 0; i < leaves; i++) {
    const key = leavesAt + i * KEYED_SUBTREE_BYTES;
    const error = builderPush(key, key + KEY_BYTES);
    if (error != OK) return error;
  }
  return builderEnd(out);
}

/** The joins that `builder.ts` would make, in its order. */
function listJoins(lane: usize, leavesAt: usize, leaves: i32, out: usize): i32 {
  let depth: usize = 0;
  let joins = lane + JOINS_AT;
  store<usize>(lane, joins, NEXT_AT);
  store<usize>(lane, out, RESULT_AT);
  for (let i = 0; i < leaves; i++) {
    const key = leavesAt + i * KEYED_SUBTREE_BYTES;
    memory.copy(lane + i * SUBTREE_BYTES, key + KEY_BYTES, SUBTREE_BYTES);
    if (i > 0) {
      const bit = firstDifferentBit(key - KEYED_SUBTREE_BYTES, key);
      if (bit == KEY_BITS || bitOf(key, bit) == 0) return KEYS_NOT_ASCENDING;
      for (; depth > 1 && <i32>partingBelow(depth) > bit; depth--) joins = listJoin(joins, depth);
      store<u16>(BITS + ((depth - 1) << 1), <u16>bit);
    }
    store<u8>(STACK + depth, <u8>i);
    depth++;
  }
  for (; depth > 1; depth--) joins = listJoin(joins, depth);
  store<usize>(lane, joins, END_AT);
  return OK;
}

/** The bit at which the two topmost subtrees of the stack part. */
function partingBelow(depth: usize): u16 {
  return load<u16>(BITS + ((depth - 2) << 1));
}

/** Lists the join of the two topmost subtrees of the stack. */
function listJoin(joins: usize, depth: usize): usize {
  store<u16>(joins, partingBelow(depth));
  store<u8>(joins, load<u8>(STACK + depth - 2), LEFT_AT);
  store<u8>(joins, load<u8>(STACK + depth - 1), RIGHT_AT);
  return joins + JOIN_BYTES;
}
