/**
 * Table files of the engine: data blocks, filters and an index of them, each with a checksum that the binding leaves
 * unchecked, and a footer that ends in a fixed number. A corrupt index or filter makes records vanish silently,
 * and one that leads astray can end the process, so these are checked before the engine opens a file; data blocks
 * are checked when they are first read from and by the scrub.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StoreDamagedError } from '../errors.ts';
import type { Contents } from './contents.ts';
import { crc32c, unmasked } from './crc32c.ts';
import { isUnreadable } from './failing-reads.ts';
import type { LiveTable } from './level-manifest.ts';
import { hasSoundRecords } from './sound-records.ts';
import { EntryReader, entriesOf, type TableBlock } from './table-entries.ts';
import { TableIndex } from './table-index.ts';

export const FOOTER_BYTES = 48;
const MAGIC = Buffer.from('57fb808b247547db', 'hex');
/** A block is followed by its kind and a checksum over both. */
export const TRAILER_BYTES = 5;

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

  /** Checks size, footer, filters and index; returns the index. */
  checkIndex(): TableIndex {
    const { size, smallest } = this.#table;
    const found = fstatSync(this.#file).size;
    if (found !== size) throw this.#damaged(`it has ${found} bytes instead of ${size}`);
    const [filters] = this.#readFooter();
    for (const filter of blocksIn(this.check(filters))) this.check(filter);
    const index = this.readIndex();
    const first = index.count === 0 ? undefined : index.block(0);
    const key = first === undefined ? undefined : firstKeyIn(this.#read(first.at, first.size));
    if (key === undefined || Buffer.compare(key, smallest) !== 0) {
      throw this.#damaged('it does not hold the keys that belong into it');
    }
    return index;
  }

  readIndex(): TableIndex {
    const [, index] = this.#readFooter();
    return new TableIndex(this.check(index));
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

  /** Checks a block and each record in it: a compaction may have copied corruption under a fresh checksum of the block. */
  checkRecords(block: TableBlock): void {
    const content = this.check(block);
    const { isSoundRecord } = this.#contents;
    if (isSoundRecord === undefined || hasSoundRecords(content, isSoundRecord)) return;
    throw this.#damaged(`a record in the block at ${block.at} is not as it was written`);
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
      const more = this.#readSome(bytes.subarray(read), at + read);
      if (more === 0) throw this.#damaged('it became shorter while it was read');
      read += more;
    }
    return bytes;
  }

  #readSome(bytes: Buffer, at: number): number {
    try {
      return readSync(this.#file, bytes, 0, bytes.length, at);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      throw this.#damaged(`the disk cannot read it at ${at}`);
    }
  }

  #damaged(what: string): StoreDamagedError {
    const { smallest, largest } = this.#table;
    const { tablesBetween, advice } = this.#contents;
    const tables = tablesBetween(smallest, largest);
    const names = tables.length === 0 ? '' : ` (tables ${tables.join(', ')})`;
    return new StoreDamagedError(`${this.#path} is damaged: ${what}${names}; ${advice}`);
  }
}

/** The blocks that the entries of a block lead to. */
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
