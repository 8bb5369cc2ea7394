/**
 * A subtree of the state in 64 bytes: `hash | sum u64 | count u64`; `docs/protocol.md` 9.1.
 * Sums and counts are bounded here, in the one place where they are added.
 */
import { ascii, asciiPointer, hashBegin } from '../codec/label';
import { AMOUNT_TOO_LARGE, COUNT_TOO_LARGE, EMPTY_SUBTREE, OK, SUM_TOO_LARGE } from '../errors';
import { sha384Blocks, sha384BlocksPair, sha384End, sha384Pad, sha384Update } from '../hash/sha384';
import { SUPPLY_MAX } from '../transaction/amount';
import { KEY_BYTES } from './key';

export const SUBTREE_BYTES: i32 = 64;
const COUNT_MAX: u64 = 9_007_199_254_740_991;
const SUM_AT: usize = 48;
const COUNT_AT: usize = 56;

const NUMBER: usize = memory.data(16, 16);

/** The message of an inner node, two blocks with their padding. */
const NODE: usize = memory.data(256, 16);
const OTHER_NODE: usize = memory.data(256, 16);
const NODE_BIT_AT: usize = 11;
const NODE_LEFT_AT: usize = 13;
const NODE_BYTES: i32 = 141;
const NODE_BLOCKS: i32 = 2;

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

/** Messages of leaves of outputs, two blocks with their padding: label, tree, key and value. */
const LEAF: usize = memory.data(256, 16);
const OTHER_LEAF: usize = memory.data(256, 16);
const LEAF_TREE_AT: usize = 11;
const LEAF_KEY_AT: usize = 12;
const LEAF_VALUE_AT: usize = 76;
const LEAF_BLOCKS: i32 = 2;

/** What `leaf` gives for two records of the same tree, whose values have `length` bytes, the same in all calls, and allowed sums. */
export function leafPair(
  tree: u32, length: i32,
  key: usize, value: usize, sum: u64, out: usize,
  otherKey: usize, otherValue: usize, otherSum: u64, otherOut: usize,
): void {
  writeLeaf(LEAF, tree, key, value, length);
  writeLeaf(OTHER_LEAF, tree, otherKey, otherValue, length);
  sha384BlocksPair(LEAF, OTHER_LEAF, LEAF_BLOCKS, out, otherOut);
  store<u64>(out, sum, SUM_AT);
  store<u64>(out, 1, COUNT_AT);
  store<u64>(otherOut, otherSum, SUM_AT);
  store<u64>(otherOut, 1, COUNT_AT);
}

/** Label and padding stay where they are between calls. */
function writeLeaf(message: usize, tree: u32, key: usize, value: usize, length: i32): void {
  if (load<u8>(message) == 0) {
    memory.copy(message, asciiPointer(), ascii('SVC_LEAF_V1'));
    sha384Pad(message, <i32>LEAF_VALUE_AT + length, LEAF_BLOCKS);
  }
  store<u8>(message, <u8>tree, LEAF_TREE_AT);
  memory.copy(message + LEAF_KEY_AT, key, KEY_BYTES);
  memory.copy(message + LEAF_VALUE_AT, value, length);
}

/** The inner node over two subtrees that part at `bit`. `out` may be one of them. */
export function join(bit: i32, left: usize, right: usize, out: usize): i32 {
  const error = joinFault(left, right);
  if (error != OK) return error;
  writeNode(NODE, bit, left, right);
  writeTotals(left, right, out);
  sha384Blocks(NODE, NODE_BLOCKS, out);
  return OK;
}

/** Two such nodes, neither of which is below the other. */
export function joinPair(
  bit: i32, left: usize, right: usize, out: usize,
  otherBit: i32, otherLeft: usize, otherRight: usize, otherOut: usize,
): i32 {
  let error = joinFault(left, right);
  if (error != OK) return error;
  error = joinFault(otherLeft, otherRight);
  if (error != OK) return error;
  writeNode(NODE, bit, left, right);
  writeNode(OTHER_NODE, otherBit, otherLeft, otherRight);
  writeTotals(left, right, out);
  writeTotals(otherLeft, otherRight, otherOut);
  sha384BlocksPair(NODE, OTHER_NODE, NODE_BLOCKS, out, otherOut);
  return OK;
}

function joinFault(left: usize, right: usize): i32 {
  const leftSum = load<u64>(left, SUM_AT);
  const rightSum = load<u64>(right, SUM_AT);
  if (leftSum > SUPPLY_MAX || rightSum > SUPPLY_MAX - leftSum) return SUM_TOO_LARGE;
  const leftCount = load<u64>(left, COUNT_AT);
  const rightCount = load<u64>(right, COUNT_AT);
  if (leftCount == 0 || rightCount == 0) return EMPTY_SUBTREE;
  if (leftCount > COUNT_MAX || rightCount > COUNT_MAX - leftCount) return COUNT_TOO_LARGE;
  return OK;
}

/** Must come after `writeNode`, which reads the whole of both: `out` may be one of them. */
function writeTotals(left: usize, right: usize, out: usize): void {
  const sum = load<u64>(left, SUM_AT) + load<u64>(right, SUM_AT);
  const count = load<u64>(left, COUNT_AT) + load<u64>(right, COUNT_AT);
  store<u64>(out, sum, SUM_AT);
  store<u64>(out, count, COUNT_AT);
}

/** The message of `H("SVC_NODE_V1", bit u16 | left | right)`. Label and padding stay where they are between calls. */
function writeNode(node: usize, bit: i32, left: usize, right: usize): void {
  if (load<u8>(node) == 0) {
    memory.copy(node, asciiPointer(), ascii('SVC_NODE_V1'));
    sha384Pad(node, NODE_BYTES, NODE_BLOCKS);
  }
  store<u16>(node, <u16>bit, NODE_BIT_AT);
  memory.copy(node + NODE_LEFT_AT, left, SUBTREE_BYTES);
  memory.copy(node + NODE_LEFT_AT + SUBTREE_BYTES, right, SUBTREE_BYTES);
}
