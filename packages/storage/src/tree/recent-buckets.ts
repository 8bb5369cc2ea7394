/**
 * Records of the buckets that a tree was committed with lately. Buckets are changed again soon where a tree is not large: reading
 * each from the database and through what waits above it takes longer than copying it here. A bucket may evict any other,
 * and nothing depends on what is here: the reader of a record compares it with the tree.
 */
import { BUCKET_BYTES_MAX } from './bucket.ts';
import { newRecord } from './record-memory.ts';

/** Buckets of one piece of memory, which is taken when the first of them comes. */
const PAGE_BUCKETS = 64;
/** 18 MB of records: a tree of 80,000 leaves. */
const PAGES = 256;
const SLOTS = PAGE_BUCKETS * PAGES;
const NO_BUCKET = 0;

export class RecentBuckets {
  readonly #slots: number;
  readonly #pages: Uint8Array[] = [];
  /** The number of the bucket in each place, and one; or `NO_BUCKET`. */
  readonly #buckets: Int32Array;
  readonly #lengths: Uint16Array;

  constructor(slots = SLOTS) {
    this.#slots = slots;
    this.#buckets = new Int32Array(slots);
    this.#lengths = new Uint16Array(slots);
  }

  /** Copies the record of a bucket. */
  set(bucket: number, record: Uint8Array): void {
    const slot = bucket % this.#slots;
    this.#pageOf(slot).set(record, startOf(slot));
    this.#lengths[slot] = record.length;
    this.#buckets[slot] = bucket + 1;
  }

  delete(bucket: number): void {
    const slot = bucket % this.#slots;
    if (this.#buckets[slot] === bucket + 1) this.#buckets[slot] = NO_BUCKET;
  }

  /** A copy, since records that were read never change. */
  get(bucket: number): Uint8Array | undefined {
    const slot = bucket % this.#slots;
    if (this.#buckets[slot] !== bucket + 1) return undefined;
    const start = startOf(slot);
    const end = start + (this.#lengths[slot] as number);
    const record = newRecord(end - start);
    record.set(this.#pageOf(slot).subarray(start, end));
    return record;
  }

  #pageOf(slot: number): Uint8Array {
    const page = Math.floor(slot / PAGE_BUCKETS);
    this.#pages[page] ??= new Uint8Array(PAGE_BUCKETS * BUCKET_BYTES_MAX);
    return this.#pages[page];
  }
}

/** Where a place begins in its page. */
function startOf(slot: number): number {
  return (slot % PAGE_BUCKETS) * BUCKET_BYTES_MAX;
}
