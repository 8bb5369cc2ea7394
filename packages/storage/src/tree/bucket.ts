/**
 * A bucket: up to `BUCKET_LEAVES_MAX` neighbouring leaves of a state tree in one record. The record is
 * both what is stored and what the kernel hashes: `leaves u16`, then for each leaf in ascending
 * order `key | sum u64 | value length u16 | value`.
 */
import { KEY_BYTES } from './key-bits.ts';

export const BUCKET_LEAVES_MAX = 16;

const HEAD_BYTES = KEY_BYTES + 8 + 2;

export interface Leaf {
  readonly key: Uint8Array;
  readonly sum: bigint;
  readonly value: Uint8Array;
}

/** A leaf as it lies in a record. */
export function packLeaf(leaf: Leaf): Uint8Array {
  const packed = new Uint8Array(HEAD_BYTES + leaf.value.length);
  const view = new DataView(packed.buffer);
  packed.set(leaf.key);
  view.setBigUint64(KEY_BYTES, leaf.sum, true);
  view.setUint16(KEY_BYTES + 8, leaf.value.length, true);
  packed.set(leaf.value, HEAD_BYTES);
  return packed;
}

export function unpackLeaf(packed: Uint8Array): Leaf {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  return {
    key: packed.subarray(0, KEY_BYTES),
    sum: view.getBigUint64(KEY_BYTES, true),
    value: packed.subarray(HEAD_BYTES),
  };
}

export class BucketDamaged extends Error {
  override readonly name = 'BucketDamaged';
}

/** Splits a record into packed leaves, and throws `BucketDamaged` if it is not one. */
export function unpackBucket(record: Uint8Array): Uint8Array[] {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const leaves: Uint8Array[] = [];
  let at = 2;
  const count = record.length < 2 ? 0 : view.getUint16(0, true);
  for (let i = 0; i < count && at + HEAD_BYTES <= record.length; i++) {
    const end = at + HEAD_BYTES + view.getUint16(at + KEY_BYTES + 8, true);
    if (end > record.length) break;
    leaves.push(record.subarray(at, end));
    at = end;
  }
  if (count === 0 || leaves.length !== count || at !== record.length) {
    throw new BucketDamaged(
      `a tree record of ${record.length} bytes does not hold its ${count} leaves`,
    );
  }
  return leaves;
}

export function packBucket(leaves: readonly Uint8Array[]): Uint8Array {
  let length = 2;
  for (const leaf of leaves) length += leaf.length;
  const record = new Uint8Array(length);
  record[0] = leaves.length & 0xff;
  record[1] = leaves.length >> 8;
  let at = 2;
  for (const leaf of leaves) {
    record.set(leaf, at);
    at += leaf.length;
  }
  return record;
}

/** The place of a key among packed leaves: the index of an equal one, or `-1 - index` to insert at. */
export function findLeaf(leaves: readonly Uint8Array[], key: Uint8Array): number {
  for (let i = 0; i < leaves.length; i++) {
    const order = compareKeys(leaves[i] as Uint8Array, key);
    if (order === 0) return i;
    if (order > 0) return -1 - i;
  }
  return -1 - leaves.length;
}

function compareKeys(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < KEY_BYTES; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}
