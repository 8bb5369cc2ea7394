/**
 * Table files of the engine: data blocks, filters and an index of them, each with a checksum that the binding leaves
 * unchecked, and a footer that ends in a fixed number. A rotten index or filter makes records vanish without a word,
 * and one that leads astray can end the process, so these are checked before the engine opens a file; data blocks
 * are checked by the scrub.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StoreDamagedError } from '../errors.ts';
import type { Contents } from './contents.ts';
import { crc32c, unmasked } from './crc32c.ts';
import type { LiveTable } from './level-manifest.ts';

export const FOOTER_BYTES = 48;
const MAGIC = Buffer.from('57fb808b247547db', 'hex');
/** A block is followed by its kind and a checksum over both. */
export const TRAILER_BYTES = 5;

/** A part of a file that has a checksum. */
export interface TableBlock {
  readonly at: number;
  readonly size: number;
}

export class TableFile {
  readonly #file: number;
  readonly #path: string;
  readonly #table: LiveTable;
  readonly #contents: Contents;

  /** Throws the error of the disk if there is no such file. */
  constructor(path: string, table: LiveTable, contents: Contents) {
    this.#path = path;
    this.#table = table;
    this.#contents = contents;
    this.#file = openSync(path, 'r');
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Checks size, footer, filters and index; returns the blocks that hold records, in the order of their keys. */
  checkIndex(): TableBlock[] {
    const { size, smallest } = this.#table;
    const found = fstatSync(this.#file).size;
    if (found !== size) throw this.#damaged(`it has ${found} bytes instead of ${size}`);
    const [filters, index] = this.#readFooter();
    for (const filter of blocksIn(this.check(filters))) this.check(filter);
    const blocks = blocksIn(this.check(index));
    const [first] = blocks;
    const key = first === undefined ? undefined : firstKeyIn(this.#read(first.at, first.size));
    if (key === undefined || Buffer.compare(key, smallest) !== 0) {
      throw this.#damaged('it does not hold the keys that belong into it');
    }
    return blocks;
  }

  /** The contents of a block whose checksum is right. */
  check({ at, size }: TableBlock): Buffer {
    if (at + size + TRAILER_BYTES > this.#table.size) {
      throw this.#damaged('it names a block behind its end');
    }
    const bytes = this.#read(at, size + TRAILER_BYTES);
    if (unmasked(bytes.readUInt32LE(size + 1)) !== crc32c(bytes, 0, size + 1)) {
      throw this.#damaged(`the block at ${at} has a wrong checksum`);
    }
    return bytes.subarray(0, size);
  }

  #readFooter(): [TableBlock, TableBlock] {
    const { size } = this.#table;
    if (size < FOOTER_BYTES) throw this.#damaged('it is cut short');
    const bytes = this.#read(size - FOOTER_BYTES, FOOTER_BYTES);
    const reader = new EntryReader(bytes.subarray(0, FOOTER_BYTES - MAGIC.length));
    const blocks: [TableBlock, TableBlock] = [reader.block(), reader.block()];
    const isWritten = bytes.subarray(-MAGIC.length).equals(MAGIC);
    if (!isWritten || reader.rest().some((byte) => byte !== 0)) {
      throw this.#damaged('its footer is not what was written');
    }
    return blocks;
  }

  #read(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    let read = 0;
    while (read < length) {
      const more = readSync(this.#file, bytes, read, length - read, at + read);
      if (more === 0) throw this.#damaged('it became shorter while it was read');
      read += more;
    }
    return bytes;
  }

  #damaged(what: string): StoreDamagedError {
    const { smallest, largest } = this.#table;
    const { tablesBetween, advice } = this.#contents;
    const tables = tablesBetween(smallest, largest);
    const names = tables.length === 0 ? '' : ` (tables ${tables.join(', ')})`;
    return new StoreDamagedError(`${this.#path} is damaged: ${what}${names}; ${advice}`);
  }
}

/** A block without the list of its whole keys, which lies behind its entries. */
export function entriesOf(content: Buffer): Buffer {
  const wholeKeys = content.length < 4 ? 0 : content.readUInt32LE(content.length - 4);
  return content.subarray(0, Math.max(0, content.length - 4 * (wholeKeys + 1)));
}

/** The blocks that the keys of an index lead to. */
function blocksIn(content: Buffer): TableBlock[] {
  const reader = new EntryReader(entriesOf(content));
  const blocks: TableBlock[] = [];
  while (!reader.done) blocks.push(new EntryReader(reader.entry().value).block());
  return blocks;
}

/** The first key of a block, which shares nothing with a key before it. */
function firstKeyIn(content: Buffer): Uint8Array | undefined {
  const { shared, key } = new EntryReader(content).entry();
  return shared === 0 ? key : undefined;
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

  /** Bytes behind their number. */
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
