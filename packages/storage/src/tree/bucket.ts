/**
 * A bucket: up to `BUCKET_LEAVES_MAX` neighbouring leaves of a state tree in one stored record,
 * `subtree`, then for each leaf in ascending order `key | subtree`, then a checksum. Values are not
 * here: a leaf's hash is made once, and what it stands for is in the tables of the state.
 *
 * A record that has been read is never changed; a new one gets subtree and checksum when it is sealed.
 */
import { crc32 } from 'node:zlib';
import { bitAt, firstDifference, KEY_BITS, KEY_BYTES } from './key-bits.ts';
import { newRecord } from './record-memory.ts';

/** Fewer leaves cost memory for more nodes above, more leaves cost hashing within. */
export const BUCKET_LEAVES_MAX = 8;
export const SUBTREE_BYTES = 64;
export const LEAF_BYTES: number = KEY_BYTES + SUBTREE_BYTES;
const CHECKSUM_BYTES = 4;
export const BUCKET_BYTES_MAX: number =
  SUBTREE_BYTES + BUCKET_LEAVES_MAX * LEAF_BYTES + CHECKSUM_BYTES;

export class BucketDamaged extends Error {
  override readonly name = 'BucketDamaged';
}

/** Refuses what cannot be a bucket. */
export function expectBucket(record: Uint8Array): Uint8Array {
  const leaves = leafCount(record);
  if (Number.isInteger(leaves) && leaves >= 1 && leaves <= BUCKET_LEAVES_MAX) return record;
  throw new BucketDamaged(`a tree record of ${record.length} bytes is not a bucket`);
}

/** Refuses a bucket whose bytes have changed. */
export function expectSoundBucket(record: Uint8Array): void {
  expectBucket(record);
  if (!isSoundBucket(record)) throw new BucketDamaged('a record of buckets has a wrong checksum');
}

export function isSoundBucket(record: Uint8Array): boolean {
  const at = record.length - CHECKSUM_BYTES;
  return at > SUBTREE_BYTES && checksumAt(record, at) === crc32(record.subarray(0, at));
}

/** Whether the subtree of a bucket is the one of 16 words from `at` on. */
export function hasSubtree(record: Uint8Array, words: Uint32Array, at: number): boolean {
  const view = new DataView(record.buffer, record.byteOffset, SUBTREE_BYTES);
  for (let i = 0; i < SUBTREE_BYTES / 4; i++)
    if (view.getUint32(4 * i, true) !== words[at + i]) return false;
  return true;
}

function checksumAt(record: Uint8Array, at: number): number {
  let checksum = 0;
  for (let i = CHECKSUM_BYTES - 1; i >= 0; i--)
    checksum = checksum * 256 + (record[at + i] as number);
  return checksum;
}

/** Completes a new record with its subtree and checksum. */
export function sealBucket(record: Uint8Array, subtree: Uint8Array): void {
  record.set(subtree);
  const at = record.length - CHECKSUM_BYTES;
  const checksum = crc32(record.subarray(0, at));
  new DataView(record.buffer, record.byteOffset + at).setUint32(0, checksum, true);
}

export function leafCount(record: Uint8Array): number {
  return (record.length - SUBTREE_BYTES - CHECKSUM_BYTES) / LEAF_BYTES;
}

/** Where a leaf begins, with its key. */
export function leafAt(index: number): number {
  return SUBTREE_BYTES + index * LEAF_BYTES;
}

/** The place of a key among the leaves: the index of an equal one, or `-1 - index` to insert at. */
export function findLeaf(record: Uint8Array, key: Uint8Array): number {
  const count = leafCount(record);
  for (let index = 0; index < count; index++) {
    const order = compareKeys(record, leafAt(index), key);
    if (order === 0) return index;
    if (order > 0) return -1 - index;
  }
  return -1 - count;
}

function compareKeys(record: Uint8Array, at: number, key: Uint8Array): number {
  for (let i = 0; i < KEY_BYTES; i++) {
    const difference = (record[at + i] as number) - (key[i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A bucket of the given leaves, `key | subtree` each; its own subtree is still to be hashed. */
export function bucketOf(...leaves: readonly Uint8Array[]): Uint8Array {
  let length = SUBTREE_BYTES + CHECKSUM_BYTES;
  for (const part of leaves) length += part.length;
  const record = newRecord(length);
  let at = SUBTREE_BYTES;
  for (const part of leaves) {
    record.set(part, at);
    at += part.length;
  }
  return record;
}

export function leavesOf(record: Uint8Array, start = 0, end = leafCount(record)): Uint8Array {
  return record.subarray(leafAt(start), leafAt(end));
}

export function withLeaf(record: Uint8Array, index: number, leaf: Uint8Array): Uint8Array {
  return bucketOf(leavesOf(record, 0, index), leaf, leavesOf(record, index));
}

export function withoutLeaf(record: Uint8Array, index: number): Uint8Array {
  return bucketOf(leavesOf(record, 0, index), leavesOf(record, index + 1));
}

/** The first bit in which leaves `start` to `end - 1` differ, and the first leaf that has it set. */
export function partingOf(
  record: Uint8Array,
  start: number,
  end: number,
): { bit: number; middle: number } {
  const bit = firstDifference(record, record, KEY_BITS, leafAt(start), leafAt(end - 1));
  let middle = start + 1;
  while (bitAt(record, bit, leafAt(middle)) === 0) middle++;
  return { bit, middle };
}
