/**
 * A path of a proof: from a subtree upwards, each step a bit and the sibling there.
 */
import { readBytes, readCount, readerError, readU16 } from '../codec/reader';
import { OK, PATH_NOT_FALLING, PATH_OFF_KEY, PATH_TOO_LONG } from '../errors';
import { bitOf, KEY_BITS, PREFIX_BITS } from './key';
import { join, SUBTREE_BYTES } from './subtree';

/**
 * Reads a path and folds `subtree`, in place, up to the root of its tree.
 *
 * - `key` says on which side each sibling is; every bit of the path is below `bitEnd`.
 * - `sought` is the key a search would follow: where the path parts below the prefix of an
 *   address, both keys must agree, or the path leads past the place searched for.
 * - `prefixed` receives the largest subtree on the way whose leaves share the key's prefix.
 */
export function foldPath(key: usize, sought: usize, bitEnd: i32, subtree: usize, prefixed: usize): i32 {
  memory.copy(prefixed, subtree, SUBTREE_BYTES);
  let above = bitEnd;
  const steps = readCount(0, KEY_BITS, OK, PATH_TOO_LONG);
  for (let step = 0; step < steps; step++) {
    const bit = <i32>readU16();
    const sibling = readBytes(SUBTREE_BYTES);
    if (readerError() != OK) return readerError();
    if (bit >= above) return PATH_NOT_FALLING;
    if (bit < PREFIX_BITS && bitOf(key, bit) != bitOf(sought, bit)) return PATH_OFF_KEY;
    const isLeft = bitOf(key, bit) == 0;
    const error = join(bit, isLeft ? subtree : sibling, isLeft ? sibling : subtree, subtree);
    if (error != OK) return error;
    if (bit >= PREFIX_BITS) memory.copy(prefixed, subtree, SUBTREE_BYTES);
    above = bit;
  }
  return readerError();
}
