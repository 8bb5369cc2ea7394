/**
 * The index of a table file as it is there: for each data block a key that is not below any of its keys and not
 * above any of the next block. Every key of an index is whole, and the list after the entries says where each
 * begins, so that a key is found without making an object of every entry.
 */
import { EntryReader, type TableBlock } from './table-entries.ts';

/** The engine puts sequence and kind after each key. */
export const KEY_SUFFIX_BYTES = 8;
const PLACE_BYTES = 4;

export class TableIndex {
  readonly count: number;
  readonly #content: Buffer;
  /** Where the list of places begins. */
  readonly #places: number;

  /** Takes the contents of a block whose checksum is right. */
  constructor(content: Buffer) {
    const places = content.readUInt32LE(content.length - PLACE_BYTES);
    this.#content = content;
    this.#places = content.length - PLACE_BYTES * (places + 1);
    this.count = this.#places === 0 ? 0 : places;
  }

  get bytes(): number {
    return this.#content.length;
  }

  block(at: number): TableBlock {
    const reader = new EntryReader(this.#content.subarray(this.#placeOf(at), this.#places));
    return new EntryReader(reader.entry().value).block();
  }

  /** The first block that may hold a key, or `count` if the key is after all of them. */
  firstBlockOf(key: Uint8Array): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether the block after this one may hold the key or a lower one. */
  reachesBehind(at: number, key: Uint8Array): boolean {
    return at + 1 < this.count && this.#compare(at, key) <= 0;
  }

  #placeOf(at: number): number {
    return this.#content.readUInt32LE(this.#places + PLACE_BYTES * at);
  }

  /** The key of the index against a key of the store. */
  #compare(at: number, key: Uint8Array): number {
    let place = this.#placeOf(at) + 1;
    const content = this.#content;
    let length = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = content[place++] as number;
      length += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    while ((content[place++] as number) >= 0x80);
    return content.compare(key, 0, key.length, place, place + length - KEY_SUFFIX_BYTES);
  }
}
