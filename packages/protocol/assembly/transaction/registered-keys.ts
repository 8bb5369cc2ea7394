/**
 * The registered public keys that a call brings, found by key hash. The kernel hashes them itself,
 * so a caller cannot pass a key under a wrong name.
 */
import { equalBytes } from '../codec/compare';
import { keyHash } from './key-hash';
import { ID_BYTES, PUBLIC_KEY_BYTES } from './layout';

const HASHES: usize = memory.data(27 * 48, 16);

let keys: usize = 0;
let count: i32 = 0;

/** `number` is at most `REGISTERED_KEYS_MAX`. */
export function registeredBegin(first: usize, number: i32): void {
  keys = first;
  count = number;
  for (let i = 0; i < count; i++) keyHash(keys + i * PUBLIC_KEY_BYTES, HASHES + i * ID_BYTES);
}

/** The key with the hash, or 0. */
export function registeredKey(hash: usize): usize {
  for (let i = 0; i < count; i++) {
    if (equalBytes(HASHES + i * ID_BYTES, hash, ID_BYTES)) return keys + i * PUBLIC_KEY_BYTES;
  }
  return 0;
}
