/**
 * The root of a Patricia tree from leaves in ascending order of their keys, in one pass. The stack
 * holds finished subtrees; between two neighbours on it is the bit at which they will be joined,
 * and those bits grow towards the top, so it is never deeper than a key is long.
 */
import { KEYS_NOT_ASCENDING, OK } from '../errors';
import { bitOf, firstDifferentBit, KEY_BITS, KEY_BYTES } from './key';
import { join, SUBTREE_BYTES } from './subtree';

const STACK: usize = memory.data(32832, 16);
const BITS: usize = memory.data(1024, 16);
const LAST_KEY: usize = memory.data(64, 16);

let depth: i32 = 0;

export function builderBegin(): void {
  depth = 0;
}

export function builderPush(key: usize, subtree: usize): i32 {
  if (depth > 0) {
    const bit = firstDifferentBit(LAST_KEY, key);
    if (bit == KEY_BITS || bitOf(key, bit) == 0) return KEYS_NOT_ASCENDING;
    const error = joinAbove(bit);
    if (error != OK) return error;
    store<u16>(BITS + ((depth - 1) << 1), <u16>bit);
  }
  memory.copy(LAST_KEY, key, KEY_BYTES);
  memory.copy(slot(depth), subtree, SUBTREE_BYTES);
  depth++;
  return OK;
}

/** Writes the root, which is 64 zero bytes when nothing was pushed. */
export function builderEnd(out: usize): i32 {
  const error = joinAbove(-1);
  if (error != OK) return error;
  if (depth == 0) memory.fill(out, 0, SUBTREE_BYTES);
  else memory.copy(out, slot(0), SUBTREE_BYTES);
  return OK;
}

/** Joins from the top of the stack everything that parts below the given bit. */
function joinAbove(bit: i32): i32 {
  while (depth > 1) {
    const top = <i32>load<u16>(BITS + ((depth - 2) << 1));
    if (top < bit) break;
    const error = join(top, slot(depth - 2), slot(depth - 1), slot(depth - 2));
    if (error != OK) return error;
    depth--;
  }
  return OK;
}

function slot(index: i32): usize {
  return STACK + (<usize>index << 6);
}
