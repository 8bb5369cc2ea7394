/**
 * Records that wait in memory for the database, as bytes in large pieces of memory with an index of numbers beside them.
 * A group of cuts has tens of thousands: an object and a name for each would be copied and marked by the garbage
 * collector again and again while they wait, which costs more than everything else that is done to them.
 *
 * Records are appended first and count from `keepAppended` on. Memory is never written twice, so that views of it stay as
 * they are. Nothing here is in the order of keys.
 */
import { randomInt } from 'node:crypto';
import { Packer } from '../codec/packer.ts';
import { unclearedBytes } from '../codec/uncleared-bytes.ts';
import { larger } from '../tree/growing.ts';
import { NO_VALUE, PACKED_WORDS, type PackedRecords } from './packed-records.ts';

/** The number of a record, in the order in which they were appended. */
export type KeptRecord = number;

/** What is known of a record: its chunk, where its key begins there, lengths of key and value, the key's hash. */
const RECORD_WORDS = 5;
const AT = 1;
const KEY_BYTES = 2;
const VALUE_BYTES = 3;
const HASH = 4;
/** In place of a chunk: a later record has the same key. */
const REPLACED = -1;

const FIRST_RECORDS = 64;
/** The least slots of the index for each record; half of them are free. */
const SLOTS_PER_RECORD = 2;
const NO_RECORD = 0;
/** Overhead of a record: words, and slots of the index. */
const RECORD_BYTES = 4 * (RECORD_WORDS + 2 * SLOTS_PER_RECORD);
const HASH_FACTOR = 0x01000193;
/** Copies of groups have memory in such steps, so that the next group, which is about as large, fits into it. */
const COPY_STEP = 1 << 20;

export class KeptRecords {
  /** Secret, so that an attacker cannot choose many keys that share a slot. */
  readonly #seed = randomInt(2 ** 32);
  /** The chunks of the packer. */
  #chunks: Uint8Array[] = [];
  #packer = new Packer();
  /** Bytes of the key of the record that is being packed. */
  #keyBytes = 0;
  #words = new Int32Array(FIRST_RECORDS * RECORD_WORDS);
  /** By the hash of the key: the number of a record and one, or `NO_RECORD`. */
  #slots = new Int32Array(FIRST_RECORDS * SLOTS_PER_RECORD);
  #appended = 0;
  #kept = 0;
  #bytes = 0;
  /** Memory of an earlier group's copy, used again: the system clears the pages of new memory first. */
  #spare: ArrayBuffer | undefined;

  /** About how much memory is taken, also by records that were replaced. */
  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#kept === 0;
  }

  /** Copies a record that counts from the next `keepAppended` on; without a value it is to be deleted. */
  append(key: Uint8Array, value: Uint8Array | undefined): void {
    this.#packer.raw(key);
    if (value !== undefined) this.#packer.raw(value);
    this.#end(key.length, value?.length ?? NO_VALUE);
  }

  /** Takes the key of a record that `endDelete` ends, or `endKey`, and then its value until `endPut`. */
  get packer(): Packer {
    return this.#packer;
  }

  endKey(): void {
    this.#keyBytes = this.#packer.begun;
  }

  /** Appends what was packed as a record. */
  endPut(): void {
    this.#end(this.#keyBytes, this.#packer.begun - this.#keyBytes);
  }

  /** Appends what was packed as the key of a record that is to be deleted. */
  endDelete(): void {
    this.#end(this.#packer.begun, NO_VALUE);
  }

  #end(keyBytes: number, valueBytes: number): void {
    const { memory, start, begun } = this.#packer;
    if (this.#chunks.at(-1) !== memory) this.#chunks.push(memory);
    const word = RECORD_WORDS * this.#appended++;
    if (word === this.#words.length) this.#words = larger(this.#words, new Int32Array(2 * word));
    this.#words[word] = this.#chunks.length - 1;
    this.#words[word + AT] = start;
    this.#words[word + KEY_BYTES] = keyBytes;
    this.#words[word + VALUE_BYTES] = valueBytes;
    this.#words[word + HASH] = this.#hashOf(memory, start, keyBytes);
    this.#bytes += RECORD_BYTES + begun;
    this.#packer.next();
  }

  /** Forgets what was appended since the last `keepAppended`; its memory is free again when all is. */
  forgetAppended(): void {
    this.#appended = this.#kept;
    this.#packer.next();
  }

  /** Makes the appended records count, each in place of an earlier one with the same key. */
  keepAppended(): void {
    this.#growIndex();
    for (; this.#kept < this.#appended; this.#kept++) {
      const slot = this.#slotOfRecord(this.#kept);
      const earlier = this.#slots[slot] as number;
      if (earlier !== NO_RECORD) this.#words[RECORD_WORDS * (earlier - 1)] = REPLACED;
      this.#slots[slot] = this.#kept + 1;
    }
  }

  find(key: Uint8Array): KeptRecord | undefined {
    if (this.#kept === 0) return undefined;
    const hash = this.#hashOf(key, 0, key.length);
    const found = this.#slots[this.#slotOf(key, 0, key.length, hash)] as number;
    return found === NO_RECORD ? undefined : found - 1;
  }

  key(record: KeptRecord): Uint8Array {
    return this.#view(record, 0, this.#word(record, KEY_BYTES));
  }

  /** Undefined if the record is to be deleted. */
  value(record: KeptRecord): Uint8Array | undefined {
    const bytes = this.#word(record, VALUE_BYTES);
    return bytes === NO_VALUE
      ? undefined
      : this.#view(record, this.#word(record, KEY_BYTES), bytes);
  }

  /** Hands over the last record of each key, in the order in which they were appended. */
  forEach(take: (record: KeptRecord) => void): void {
    for (let record = 0; record < this.#kept; record++)
      if (this.#word(record) !== REPLACED) take(record);
  }

  /** A copy of the last record of each key, in the order in which they were appended. */
  packed(): PackedRecords {
    const starts: number[] = [];
    let end = 0;
    for (const { length } of this.#chunks) {
      starts.push(end);
      end += length;
    }
    const bytes = this.#copyBytes(end);
    this.#chunks.forEach((chunk, place) => {
      bytes.set(chunk, starts[place]);
    });
    const words = new Int32Array(PACKED_WORDS * this.#kept);
    let to = 0;
    this.forEach((record) => {
      words[to++] = (starts[this.#word(record)] as number) + this.#word(record, AT);
      words[to++] = this.#word(record, KEY_BYTES);
      words[to++] = this.#word(record, VALUE_BYTES);
    });
    const giveBack = (memory: ArrayBuffer): void => {
      this.#spare = memory;
    };
    return { bytes, words: words.slice(0, to), getChecksums: false, giveBack };
  }

  #copyBytes(length: number): Uint8Array<ArrayBuffer> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare !== undefined && spare.byteLength >= length) return new Uint8Array(spare, 0, length);
    return unclearedBytes(Math.ceil(length / COPY_STEP) * COPY_STEP).subarray(0, length);
  }

  /** Frees memory that was given back: the next copy may be far off. */
  dropSpare(): void {
    this.#spare = undefined;
  }

  /** Words and index are used again: no view of them was given out, and the next group needs about as many. */
  clear(): void {
    this.#chunks = [];
    this.#packer = new Packer();
    this.#slots.fill(NO_RECORD);
    this.#appended = 0;
    this.#kept = 0;
    this.#bytes = 0;
  }

  #word(record: KeptRecord, at = 0): number {
    return this.#words[RECORD_WORDS * record + at] as number;
  }

  #view(record: KeptRecord, from: number, bytes: number): Uint8Array {
    const chunk = this.#chunks[this.#word(record)] as Uint8Array;
    const at = this.#word(record, AT) + from;
    return chunk.subarray(at, at + bytes);
  }

  #growIndex(): void {
    let slots = this.#slots.length;
    while (slots < SLOTS_PER_RECORD * this.#appended) slots *= 2;
    if (slots === this.#slots.length) return;
    this.#slots = new Int32Array(slots);
    this.forEach((record) => {
      this.#slots[this.#slotOfRecord(record)] = record + 1;
    });
  }

  #slotOfRecord(record: KeptRecord): number {
    const chunk = this.#chunks[this.#word(record)] as Uint8Array;
    const keyBytes = this.#word(record, KEY_BYTES);
    return this.#slotOf(chunk, this.#word(record, AT), keyBytes, this.#word(record, HASH));
  }

  /** The slot of the index with the key of so many bytes from `from` on, or the free one for it. */
  #slotOf(memory: Uint8Array, from: number, bytes: number, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot] as number;
      if (found === NO_RECORD) return slot;
      if (this.#word(found - 1, HASH) !== hash) continue;
      if (this.#hasKey(found - 1, memory, from, bytes)) return slot;
    }
  }

  #hasKey(record: KeptRecord, memory: Uint8Array, from: number, bytes: number): boolean {
    if (this.#word(record, KEY_BYTES) !== bytes) return false;
    const chunk = this.#chunks[this.#word(record)] as Uint8Array;
    const at = this.#word(record, AT);
    for (let i = 0; i < bytes; i++) if (chunk[at + i] !== memory[from + i]) return false;
    return true;
  }

  #hashOf(memory: Uint8Array, from: number, bytes: number): number {
    let hash = this.#seed;
    for (let at = from; at < from + bytes; at++)
      hash = Math.imul(hash ^ (memory[at] as number), HASH_FACTOR);
    return hash ^ (hash >>> 15);
  }
}
