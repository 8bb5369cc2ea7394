/**
 * A subtree of the state in 64 bytes: `hash | sum u64 | count u64`; `docs/protocol.md` 9.1.
 * Sums and counts are bounded here, in the one place where they are added.
 */
import { ascii, asciiPointer, hashBegin } from '../codec/label';
import { AMOUNT_TOO_LARGE, COUNT_TOO_LARGE, EMPTY_SUBTREE, OK, SUM_TOO_LARGE } from '../errors';
import { sha384End, sha384TwoBlocks, sha384Update } from '../hash/sha384';
import { SUPPLY_MAX } from '../transaction/amount';
import { KEY_BYTES } from './key';

export const SUBTREE_BYTES: i32 = 64;
const COUNT_MAX: u64 = 9_007_199_254_740_991;
const SUM_AT: usize = 48;
const COUNT_AT: usize = 56;

const NUMBER: usize = memory.data(16, 16);

/** The message of an inner node, two blocks with their padding. */
const NODE: usize = memory.data(256, 16);
const NODE_BIT_AT: usize = 11;
const NODE_LEFT_AT: usize = 13;
const NODE_END: usize = 141;

/** A leaf: its hash, its sum and the count 1. */
export function leaf(tree: u32, key: usize, value: usize, length: i32, sum: u64, out: usize): i32 {
  if (sum > SUPPLY_MAX) return AMOUNT_TOO_LARGE;
  hashBegin('SVC_LEAF_V1');
  store<u8>(NUMBER, <u8>tree);
  sha384Update(NUMBER, 1);
  sha384Update(key, KEY_BYTES);
  sha384Update(value, length);
  sha384End(out);
  store<u64>(out, sum, SUM_AT);
  store<u64>(out, 1, COUNT_AT);
  return OK;
}

/** The inner node over two subtrees that part at `bit`. `out` may be one of them. */
export function join(bit: i32, left: usize, right: usize, out: usize): i32 {
  const leftSum = load<u64>(left, SUM_AT);
  const rightSum = load<u64>(right, SUM_AT);
  if (leftSum > SUPPLY_MAX || rightSum > SUPPLY_MAX - leftSum) return SUM_TOO_LARGE;
  const leftCount = load<u64>(left, COUNT_AT);
  const rightCount = load<u64>(right, COUNT_AT);
  if (leftCount == 0 || rightCount == 0) return EMPTY_SUBTREE;
  if (leftCount > COUNT_MAX || rightCount > COUNT_MAX - leftCount) return COUNT_TOO_LARGE;
  hashNode(bit, left, right, out);
  store<u64>(out, leftSum + rightSum, SUM_AT);
  store<u64>(out, leftCount + rightCount, COUNT_AT);
  return OK;
}

/** `H("SVC_NODE_V1", bit u16 | left | right)`. Label and padding stay where they are between calls. */
function hashNode(bit: i32, left: usize, right: usize, out: usize): void {
  if (load<u8>(NODE) == 0) {
    memory.copy(NODE, asciiPointer(), ascii('SVC_NODE_V1'));
    store<u8>(NODE, 0x80, NODE_END);
    store<u64>(NODE, bswap<u64>(8 * NODE_END), 248);
  }
  store<u16>(NODE, <u16>bit, NODE_BIT_AT);
  memory.copy(NODE + NODE_LEFT_AT, left, SUBTREE_BYTES);
  memory.copy(NODE + NODE_LEFT_AT + SUBTREE_BYTES, right, SUBTREE_BYTES);
  sha384TwoBlocks(NODE, out);
}
