/**
 * The entries that a block of a table file is made of. Nothing here says whether a block is sound.
 */

/** A part of a file that has a checksum. */
export interface TableBlock {
  readonly at: number;
  readonly size: number;
}

/** A block without the list of its whole keys, which follows its entries. */
export function entriesOf(content: Buffer): Buffer {
  const wholeKeys = content.length < 4 ? 0 : content.readUInt32LE(content.length - 4);
  return content.subarray(0, Math.max(0, content.length - 4 * (wholeKeys + 1)));
}

/** Reads the entries of a block one after another. */
export class EntryReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** How many bytes were read: more than there are where an entry says that it is longer. */
  get at(): number {
    return this.#at;
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  block(): TableBlock {
    return { at: this.#varint(), size: this.#varint() };
  }

  /** The next key, without what it shares with the one before, and its value. */
  entry(): { shared: number; key: Uint8Array; value: Uint8Array } {
    const [shared, keyBytes, valueBytes] = [this.#varint(), this.#varint(), this.#varint()];
    return { shared, key: this.#take(keyBytes), value: this.#take(valueBytes) };
  }

  byte(): number {
    return this.#bytes[this.#at++] ?? 0;
  }

  /** Bytes after their number. */
  counted(): Uint8Array {
    return this.#take(this.#varint());
  }

  #take(length: number): Uint8Array {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 49; scale *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    return value;
  }
}
