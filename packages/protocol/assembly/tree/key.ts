/**
 * Keys of the state trees: 64 bytes, read as bits from the highest of the first byte.
 */
import { ascii, asciiPointer, hashLabel } from '../codec/label';
import { sha384BlocksPair, sha384Pad } from '../hash/sha384';

export const KEY_BYTES: i32 = 64;
export const KEY_BITS: i32 = 512;
/** The part of an output's key that belongs to its address. */
export const PREFIX_BYTES: i32 = 32;
export const PREFIX_BITS: i32 = 256;

export const ADDRESS_BYTES: i32 = 49;
export const OUTPOINT_BYTES: i32 = 52;

const HASH: usize = memory.data(48, 16);
const OTHER_HASH: usize = memory.data(48, 16);

/** Messages of the halves of an output's key, a block each with its padding. */
const ADDRESS_MESSAGE: usize = memory.data(128, 16);
const OUTPOINT_MESSAGE: usize = memory.data(128, 16);
const HALF_AT: i32 = 15;
const HALF_BLOCKS: i32 = 1;

export function bitOf(key: usize, bit: i32): i32 {
  return (load<u8>(key + (bit >> 3)) >> (7 - (bit & 7))) & 1;
}

/** The first bit in which two keys differ, `KEY_BITS` when they are equal. */
export function firstDifferentBit(a: usize, b: usize): i32 {
  for (let at = 0; at < KEY_BYTES; at += 8) {
    const difference = load<u64>(a + at) ^ load<u64>(b + at);
    if (difference != 0) return (at << 3) + <i32>clz<u64>(bswap<u64>(difference));
  }
  return KEY_BITS;
}

/** The first half of an output's key, made from its address. */
export function addressHalf(address: usize, out: usize): void {
  hashLabel('SVC_TREE_KEY_V1', address, ADDRESS_BYTES, HASH);
  memory.copy(out, HASH, PREFIX_BYTES);
}

/** The second half of an output's key, made from its transaction id and index. */
export function outpointHalf(outpoint: usize, out: usize): void {
  hashLabel('SVC_TREE_KEY_V1', outpoint, OUTPOINT_BYTES, HASH);
  memory.copy(out, HASH, PREFIX_BYTES);
}

/** Both halves of an output's key. */
export function outputHalves(address: usize, outpoint: usize, out: usize): void {
  if (load<u8>(ADDRESS_MESSAGE) == 0) {
    const length = ascii('SVC_TREE_KEY_V1');
    memory.copy(ADDRESS_MESSAGE, asciiPointer(), length);
    memory.copy(OUTPOINT_MESSAGE, asciiPointer(), length);
    sha384Pad(ADDRESS_MESSAGE, HALF_AT + ADDRESS_BYTES, HALF_BLOCKS);
    sha384Pad(OUTPOINT_MESSAGE, HALF_AT + OUTPOINT_BYTES, HALF_BLOCKS);
  }
  memory.copy(ADDRESS_MESSAGE + HALF_AT, address, ADDRESS_BYTES);
  memory.copy(OUTPOINT_MESSAGE + HALF_AT, outpoint, OUTPOINT_BYTES);
  sha384BlocksPair(ADDRESS_MESSAGE, OUTPOINT_MESSAGE, HALF_BLOCKS, HASH, OTHER_HASH);
  memory.copy(out, HASH, PREFIX_BYTES);
  memory.copy(out + PREFIX_BYTES, OTHER_HASH, PREFIX_BYTES);
}
