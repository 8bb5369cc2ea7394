/**
 * Where each bucket of a tree hangs, and under which prefix its record is stored. The prefix ends
 * behind the bit of the inner node above, so it depends on the set of keys alone, and records lie in the
 * store in the order of their keys. Undone and kept like `NodeTable`.
 */
import { KEY_BYTES, writePrefix } from './key-bits.ts';
import { NO_NODE } from './node-table.ts';

const START_CAPACITY = 1024;

interface Saved {
  readonly bucket: number;
  readonly parent: number;
  readonly prefix: Uint8Array;
}

export class BucketTable {
  parent: Int32Array = new Int32Array(START_CAPACITY);
  prefixes: Uint8Array = new Uint8Array(START_CAPACITY * KEY_BYTES);
  #touched: Uint32Array = new Uint32Array(START_CAPACITY);
  #length = 0;
  #batch = 1;
  #free: number[] = [];
  #allocated: number[] = [];
  #released: number[] = [];
  #saved: Saved[] = [];

  get bytes(): number {
    return this.parent.length * (4 + KEY_BYTES + 4);
  }

  allocate(): number {
    const bucket = this.#free.pop() ?? this.#length++;
    if (bucket === this.parent.length) this.#grow();
    this.#touched[bucket] = this.#batch;
    this.#allocated.push(bucket);
    this.parent[bucket] = NO_NODE;
    return bucket;
  }

  release(bucket: number): void {
    this.#touch(bucket);
    this.#released.push(bucket);
  }

  prefixOf(bucket: number): Uint8Array {
    return this.prefixes.subarray(bucket * KEY_BYTES, (bucket + 1) * KEY_BYTES);
  }

  /** Hangs a bucket under a node; `bits` of `key` become its prefix. */
  hang(bucket: number, parent: number, key: Uint8Array, bits: number): void {
    this.#touch(bucket);
    this.parent[bucket] = parent;
    writePrefix(key, bits, this.prefixes, bucket * KEY_BYTES);
  }

  setParent(bucket: number, parent: number): void {
    this.#touch(bucket);
    this.parent[bucket] = parent;
  }

  #touch(bucket: number): void {
    if (this.#touched[bucket] === this.#batch) return;
    this.#touched[bucket] = this.#batch;
    this.#saved.push({
      bucket,
      parent: this.parent[bucket] as number,
      prefix: this.prefixOf(bucket).slice(),
    });
  }

  commit(): void {
    for (const bucket of this.#released) this.#free.push(bucket);
    this.#next();
  }

  rollback(): void {
    for (const { bucket, parent, prefix } of this.#saved) {
      this.parent[bucket] = parent;
      this.prefixes.set(prefix, bucket * KEY_BYTES);
    }
    for (const bucket of this.#allocated) this.#free.push(bucket);
    this.#next();
  }

  #next(): void {
    this.#saved = [];
    this.#allocated = [];
    this.#released = [];
    this.#batch++;
  }

  #grow(): void {
    const capacity = Math.ceil(this.parent.length * 1.5);
    const parent = new Int32Array(capacity);
    parent.set(this.parent);
    this.parent = parent;
    const touched = new Uint32Array(capacity);
    touched.set(this.#touched);
    this.#touched = touched;
    const prefixes = new Uint8Array(capacity * KEY_BYTES);
    prefixes.set(this.prefixes);
    this.prefixes = prefixes;
  }
}
