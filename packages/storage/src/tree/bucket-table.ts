/**
 * The parent of each bucket of a tree, how many leaves it holds, and under which prefix its record is
 * stored. The prefix ends after the bit of the inner node above, so it depends on the set of keys
 * alone, and records are in the store in the order of their keys. Undone and kept like `NodeTable`.
 */
import type { ChangeWords } from './change-words.ts';
import { grownCapacity, largerTable, RowBatch, type TableArray } from './growing.ts';
import { KEY_BYTES, writePrefix } from './key-bits.ts';
import { NO_NODE } from './node-table.ts';

const PREFIX_WORDS = KEY_BYTES / 4;
export const BUCKET_ROW_BYTES: number = 4 + 2 + 1 + KEY_BYTES;
const BUCKET_BYTES = BUCKET_ROW_BYTES + 4;
const JOURNAL_WORDS = 3 + PREFIX_WORDS;
/** A stamp is the number of the batch that touched the row last. */
const LAST_BATCH = 2 ** 32 - 1;
/** Marks an unused bucket. */
const NO_LEAVES = 0;

export class BucketTable {
  #parents: Int32Array = new Int32Array(0);
  #bits: Uint16Array = new Uint16Array(0);
  #leaves: Uint8Array = new Uint8Array(0);
  #prefixes: Uint8Array = new Uint8Array(0);
  #prefixWords: Uint32Array = new Uint32Array(0);
  #stamps: Uint32Array = new Uint32Array(0);
  #capacity = 0;
  #length = 0;
  /** Length at the last commit. */
  #lengthBefore = 0;
  readonly #batch: RowBatch;

  /** Tests begin with a batch that barely fits into stamps. */
  constructor(firstBatch = 1) {
    this.#batch = new RowBatch(JOURNAL_WORDS, firstBatch);
  }

  get bytes(): number {
    return this.#capacity * BUCKET_BYTES;
  }

  /** Numbers of buckets are below this; some of them may be free. */
  get length(): number {
    return this.#length;
  }

  parent(bucket: number): number {
    return this.#parents[bucket] as number;
  }

  leaves(bucket: number): number {
    return this.#leaves[bucket] as number;
  }

  /** How many bits the bucket's leaves are sure to share. */
  bits(bucket: number): number {
    return this.#bits[bucket] as number;
  }

  /** All prefixes; a bucket's begins at `prefixAt`. */
  get prefixes(): Uint8Array {
    return this.#prefixes;
  }

  prefixAt(bucket: number): number {
    return bucket * KEY_BYTES;
  }

  /** The name of a bucket's record: its prefix in whole bytes. No bucket is within another. */
  name(bucket: number): Uint8Array {
    const at = bucket * KEY_BYTES;
    return this.#prefixes.slice(at, at + ((this.bits(bucket) + 7) >> 3));
  }

  reserve(count: number): void {
    const capacity = grownCapacity(count, this.#capacity);
    if (capacity === this.#capacity) return;
    this.#prefixWords = largerTable(this.#prefixWords, new Uint32Array(capacity * PREFIX_WORDS));
    this.#prefixes = new Uint8Array(this.#prefixWords.buffer);
    this.#parents = largerTable(this.#parents, new Int32Array(capacity));
    this.#bits = largerTable(this.#bits, new Uint16Array(capacity));
    this.#leaves = largerTable(this.#leaves, new Uint8Array(capacity));
    this.#stamps = largerTable(this.#stamps, new Uint32Array(capacity));
    this.#capacity = capacity;
  }

  allocate(): number {
    let bucket = this.#batch.reuse();
    if (bucket === undefined) {
      bucket = this.#length++;
      this.reserve(this.#length);
    }
    this.#stamps[bucket] = this.#batch.number;
    this.#batch.allocated.push(bucket);
    this.#parents[bucket] = NO_NODE;
    return bucket;
  }

  release(bucket: number): void {
    this.setLeaves(bucket, NO_LEAVES);
    this.#batch.released.push(bucket);
  }

  /** Hangs a bucket under a node; the first `bits` bits of the key at `from` become its prefix. */
  hang(bucket: number, parent: number, key: Uint8Array, from: number, bits: number): void {
    this.#touch(bucket);
    this.#parents[bucket] = parent;
    this.#bits[bucket] = bits;
    writePrefix(key, from, bits, this.#prefixes, bucket * KEY_BYTES);
  }

  setLeaves(bucket: number, leaves: number): void {
    this.#touch(bucket);
    this.#leaves[bucket] = leaves;
  }

  #touch(bucket: number): void {
    if (this.#stamps[bucket] === this.#batch.number) return;
    this.#stamps[bucket] = this.#batch.number;
    this.#batch.changed.push(bucket);
    let to = this.#batch.journal.append();
    const { words } = this.#batch.journal;
    words[to++] = this.#parents[bucket] as number;
    words[to++] = this.#bits[bucket] as number;
    words[to++] = this.#leaves[bucket] as number;
    const prefix = bucket * PREFIX_WORDS;
    const used = this.#usedWords(bucket);
    for (let i = 0; i < used; i++) words[to++] = this.#prefixWords[prefix + i] as number;
  }

  /** Words of a prefix that hold bits of it; those behind are zero and need not be saved. */
  #usedWords(bucket: number): number {
    return (this.bits(bucket) + 31) >> 5;
  }

  commit(): void {
    this.#lengthBefore = this.#length;
    this.#batch.commit();
    this.#batch.countAnew(this.#stamps, LAST_BATCH);
  }

  /** Writes back what the journal holds; `forget` ends the batch. */
  undo(): void {
    const { words } = this.#batch.journal;
    for (let entry = 0; entry < this.#batch.changed.length; entry++) {
      const bucket = this.#batch.changed.items[entry] as number;
      let from = entry * JOURNAL_WORDS;
      this.#parents[bucket] = words[from++] as number;
      this.#bits[bucket] = words[from++] as number;
      this.#leaves[bucket] = words[from++] as number;
      const prefix = bucket * PREFIX_WORDS;
      const used = this.#usedWords(bucket);
      for (let i = 0; i < used; i++) this.#prefixWords[prefix + i] = words[from++] as number;
      this.#prefixWords.fill(0, prefix + used, prefix + PREFIX_WORDS);
    }
    this.#length = this.#lengthBefore;
    for (let i = 0; i < this.#batch.allocated.length; i++) {
      const bucket = this.#batch.allocated.items[i] as number;
      if (bucket < this.#length) this.#leaves[bucket] = NO_LEAVES;
    }
  }

  forget(): void {
    this.#batch.rollback(this.#length);
    this.#batch.countAnew(this.#stamps, LAST_BATCH);
  }

  /**
   * Adds the buckets that this batch has touched: a word with the number, and in its lowest bit whether the bucket was hung elsewhere,
   * or the batch was undone; then its leaves, and if so its bits, its parent and its prefix.
   */
  pack(to: ChangeWords, isUndone: boolean): void {
    const { allocated, changed, journal } = this.#batch;
    to.reserve(1 + (allocated.length + changed.length) * (1 + JOURNAL_WORDS));
    const countAt = to.length++;
    let count = changed.length;
    for (let i = 0; i < allocated.length; i++) {
      const bucket = allocated.items[i] as number;
      if (bucket >= this.#length) continue;
      this.#packRow(to, bucket, true);
      count++;
    }
    for (let entry = 0; entry < changed.length; entry++) {
      const bucket = changed.items[entry] as number;
      const at = entry * JOURNAL_WORDS;
      this.#packRow(to, bucket, isUndone || this.#wasHung(bucket, journal.words, at));
    }
    to.words[countAt] = count;
  }

  /** Whether the place of a bucket differs from that in the journal. */
  #wasHung(bucket: number, before: Uint32Array, at: number): boolean {
    if (this.#parents[bucket] !== ((before[at] as number) | 0)) return true;
    if (this.#bits[bucket] !== before[at + 1]) return true;
    const prefix = bucket * PREFIX_WORDS;
    for (let i = 0; i < this.#usedWords(bucket); i++)
      if (this.#prefixWords[prefix + i] !== before[at + 3 + i]) return true;
    return false;
  }

  #packRow(to: ChangeWords, bucket: number, isHung: boolean): void {
    to.push(2 * bucket + (isHung ? 1 : 0));
    to.push(this.leaves(bucket));
    if (!isHung) return;
    to.push(this.bits(bucket));
    to.push(this.parent(bucket));
    const prefix = bucket * PREFIX_WORDS;
    const used = this.#usedWords(bucket);
    for (let i = 0; i < used; i++) to.push(this.#prefixWords[prefix + i] as number);
  }

  /** Applies the rows that `pack` added; returns where the words after them begin. */
  unpack(words: Uint32Array, at: number): number {
    let from = at + 1;
    for (let left = words[at] as number; left > 0; left--) {
      const row = words[from++] as number;
      const bucket = row >>> 1;
      this.#leaves[bucket] = words[from++] as number;
      if ((row & 1) === 0) continue;
      this.#bits[bucket] = words[from++] as number;
      this.#parents[bucket] = words[from++] as number;
      const prefix = bucket * PREFIX_WORDS;
      const used = this.#usedWords(bucket);
      for (let i = 0; i < used; i++) this.#prefixWords[prefix + i] = words[from++] as number;
      this.#prefixWords.fill(0, prefix + used, prefix + PREFIX_WORDS);
    }
    return from;
  }

  /** The first rows, for a file; valid until the next change. */
  arrays(count: number): TableArray[] {
    return [
      this.#parents.subarray(0, count),
      this.#bits.subarray(0, count),
      this.#leaves.subarray(0, count),
      this.#prefixes.subarray(0, count * KEY_BYTES),
    ];
  }

  /** Gives the table a length; rows that come with it are to be filled through `arrays` or `unpack`. */
  resize(length: number): void {
    this.reserve(length);
    this.#length = length;
  }

  /** The rows are filled, and those that nothing uses are free from the next commit on. */
  filled(): void {
    for (let bucket = 0; bucket < this.#length; bucket++)
      if (this.leaves(bucket) === NO_LEAVES) this.#batch.addFree(bucket);
  }
}
