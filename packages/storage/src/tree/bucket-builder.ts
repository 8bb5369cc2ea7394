/**
 * Cuts leaves that come in the order of their keys into buckets: the largest subtrees of at most
 * `BUCKET_LEAVES_MAX` leaves. Which one starts at a leaf is known once as many leaves follow.
 */
import { hashBuckets } from 'svc-wasm/protocol';
import { BUCKET_LEAVES_MAX, bucketOf, leavesOf, SUBTREE_BYTES, sealBucket } from './bucket.ts';
import type { BucketWrite } from './bucket-tree.ts';
import { firstDifference, KEY_BITS, KEY_BYTES, writePrefix } from './key-bits.ts';

interface Built {
  readonly name: Uint8Array;
  readonly record: Uint8Array;
}

/** Parts in front of the first and after the last leaf. */
const OUTSIDE = -1;

export class BucketBuilder {
  /** Leaves that are in no bucket yet, and the bit that parts each from the next. */
  #leaves: Uint8Array[] = [];
  #partings: number[] = [];
  #partingBefore = OUTSIDE;
  #built: Built[] = [];

  push(leaf: Uint8Array): void {
    const last = this.#leaves.at(-1);
    if (last !== undefined) {
      const parting = firstDifference(last, leaf, KEY_BITS);
      if (parting === KEY_BITS || (last[parting >> 3] as number) > (leaf[parting >> 3] as number)) {
        throw new RangeError('leaves are out of order');
      }
      this.#partings.push(parting);
    }
    this.#leaves.push(leaf);
    if (this.#leaves.length > BUCKET_LEAVES_MAX) this.#cut();
  }

  /** Ends the tree: the leaves that are left go into buckets. */
  finish(): void {
    while (this.#leaves.length > 0) this.#cut();
    this.#partingBefore = OUTSIDE;
  }

  get pending(): number {
    return this.#built.length;
  }

  /** Hashes and hands out the buckets built since the last call. */
  takeWrites(): BucketWrite[] {
    const built = this.#built;
    this.#built = [];
    hashBuckets(
      built.map(({ record }) => leavesOf(record)),
      (first, count, words, at) => {
        const bytes = new Uint8Array(words.buffer);
        for (let i = 0; i < count; i++) {
          const start = 4 * at + i * SUBTREE_BYTES;
          const { record } = built[first + i] as Built;
          sealBucket(record, bytes.subarray(start, start + SUBTREE_BYTES));
        }
      },
    );
    return built;
  }

  /** The longest run from the first leaf on whose inner partings all are below its outer ones. */
  #cut(): void {
    let length = 1;
    let lowestInside = KEY_BITS;
    const most = Math.min(BUCKET_LEAVES_MAX, this.#leaves.length);
    for (let end = 2; end <= most; end++) {
      lowestInside = Math.min(lowestInside, this.#partings[end - 2] as number);
      const outside = Math.max(this.#partingBefore, this.#partings[end - 1] ?? OUTSIDE);
      if (lowestInside > outside) length = end;
    }
    const after = this.#partings[length - 1] ?? OUTSIDE;
    const bits = Math.max(this.#partingBefore, after) + 1;
    const leaves = this.#leaves.splice(0, length);
    this.#partings.splice(0, length);
    this.#partingBefore = after;
    const prefix = new Uint8Array(KEY_BYTES);
    writePrefix(leaves[0] as Uint8Array, 0, bits, prefix, 0);
    this.#built.push({ name: prefix.slice(0, (bits + 7) >> 3), record: bucketOf(...leaves) });
  }
}
