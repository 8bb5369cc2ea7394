/**
 * Reads the table files of a database again and checks every block against the engine's own checksum, which the
 * binding leaves unchecked: rot is found before a reader or a compaction meets it, also rot of keys and indexes,
 * which makes records vanish without a word. Table files never change; one that a compaction removed meanwhile is
 * passed over.
 */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StoreDamagedError } from '../errors.ts';
import { LAYOUT } from '../layout.ts';
import { crc32c } from './crc32c.ts';
import { readLog } from './level-log.ts';
import { type LiveTable, liveTables } from './level-manifest.ts';

const FOOTER_BYTES = 48;
const MAGIC = Buffer.from('57fb808b247547db', 'hex');
/** A block is followed by its kind and a checksum over both. */
const TRAILER_BYTES = 5;
const MASK_DELTA = 0xa282ead8;
const ADVICE =
  'the disk of this machine is failing: restore a backup, import a snapshot with `svcd snapshot import`, run ' +
  '`svcd reindex` on an archive, or sync anew';

interface TableFile {
  readonly file: number;
  readonly path: string;
  readonly size: number;
  /** The tables that may have keys in it. */
  readonly tables: readonly string[];
}

/** A part of a file that has a checksum. */
interface Block {
  readonly at: number;
  readonly size: number;
}

export interface ScrubOptions {
  /** `pause` is awaited after each piece of about this many bytes; where it says false, the scrub ends. */
  readonly pieceBytes: number;
  readonly pause: () => Promise<boolean>;
}

/**
 * Reads the tables of a database that are whole, whoever has it open. Throws `StoreDamagedError` with the names of
 * what lies in a damaged file; returns how many bytes were found sound.
 */
export async function scrubTables(directory: string, options: ScrubOptions): Promise<number> {
  const manifest = readFileSync(join(directory, 'CURRENT'), 'utf8').trim();
  let bytes = 0;
  for (const table of liveTables(readLog(readFileSync(join(directory, manifest))).records)) {
    const isWanted = await scrubTable(directory, table, options);
    if (!isWanted) return bytes;
    bytes += table.size;
  }
  return bytes;
}

async function scrubTable(
  directory: string,
  { number, size, smallest, largest }: LiveTable,
  { pieceBytes, pause }: ScrubOptions,
): Promise<boolean> {
  const path = join(directory, `${String(number).padStart(6, '0')}.ldb`);
  const file = openIfThere(path);
  if (file === undefined) return true;
  try {
    const found = fstatSync(file).size;
    const tables = tablesBetween(smallest, largest);
    if (found !== size) throw damaged(path, `it has ${found} bytes instead of ${size}`, tables);
    const table: TableFile = { file, path, size, tables };
    let since = 0;
    for (const block of blocksOf(table)) {
      checkBlock(table, block);
      since += block.size;
      if (since < pieceBytes) continue;
      since = 0;
      if (!(await pause())) return false;
    }
    return true;
  } finally {
    closeSync(file);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The blocks that footer, indexes and filters name. */
function blocksOf(table: TableFile): Block[] {
  const { file, path, size, tables } = table;
  if (size < FOOTER_BYTES) throw damaged(path, 'it is cut short', tables);
  const bytes = readBytes(file, size - FOOTER_BYTES, FOOTER_BYTES);
  const footer = new BlockReader(bytes.subarray(0, FOOTER_BYTES - MAGIC.length));
  const handles = [footer.handle(), footer.handle()] as const;
  if (!bytes.subarray(-MAGIC.length).equals(MAGIC) || footer.rest().some((byte) => byte !== 0))
    throw damaged(path, 'its footer is not what was written', tables);
  const [filters, index] = handles.map((handle) => blocksIn(checkBlock(table, handle)));
  return [...(filters ?? []), ...(index ?? [])];
}

/** The blocks that the keys of an index lead to. */
function blocksIn(content: Buffer): Block[] {
  const wholeKeys = content.readUInt32LE(content.length - 4);
  const reader = new BlockReader(content.subarray(0, content.length - 4 * (wholeKeys + 1)));
  const blocks: Block[] = [];
  while (!reader.done) {
    reader.varint();
    const [keyBytes, length] = [reader.varint(), reader.varint()];
    reader.bytes(keyBytes);
    blocks.push(new BlockReader(reader.bytes(length)).handle());
  }
  return blocks;
}

function checkBlock({ file, path, size: end, tables }: TableFile, { at, size }: Block): Buffer {
  if (at + size + TRAILER_BYTES > end)
    throw damaged(path, 'it names a block behind its end', tables);
  const bytes = readBytes(file, at, size + TRAILER_BYTES);
  const stored = bytes.readUInt32LE(size + 1);
  if (unmasked(stored) !== crc32c(bytes, 0, size + 1)) {
    throw damaged(path, `the block at ${at} has a wrong checksum`, tables);
  }
  return bytes.subarray(0, size);
}

/** The engine stores checksums turned and shifted, so that they can lie in what has a checksum itself. */
function unmasked(stored: number): number {
  const turned = (stored - MASK_DELTA) >>> 0;
  return ((turned >>> 17) | (turned << 15)) >>> 0;
}

function readBytes(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const more = readSync(file, bytes, read, length - read, at + read);
    if (more === 0) throw new Error('a table file became shorter while it was read');
    read += more;
  }
  return bytes;
}

class BlockReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 49; scale *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    return value;
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  handle(): Block {
    return { at: this.varint(), size: this.varint() };
  }

  bytes(length: number): Uint8Array {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

function tablesBetween([first = 0]: Uint8Array, [last = 0xff]: Uint8Array): string[] {
  return Object.entries(LAYOUT)
    .filter(([, { prefix }]) => prefix >= first && prefix <= last)
    .map(([name]) => name);
}

function damaged(path: string, what: string, tables: readonly string[]): StoreDamagedError {
  const names = tables.length === 0 ? '' : ` (tables ${tables.join(', ')})`;
  return new StoreDamagedError(`${path} is damaged: ${what}${names}; ${ADVICE}`);
}
