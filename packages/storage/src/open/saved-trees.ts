/**
 * The memory of the state trees in a file beside the database, written when a store is closed, so that the next
 * start need not read and hash every bucket. It counts for one head only and has a checksum; whatever is wrong with it
 * means that the trees are built from the database. It is never needed, so it is not synced and nothing is lost with it.
 *
 * Magic, cut id, state root, then each array as its length in bytes (u64) and its bytes as they lie in memory, CRC-32.
 */
import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Head } from '../codec/meta-records.ts';
import type { SavedArray } from '../tree/growing.ts';
import type { StateTrees } from '../trees/state-trees.ts';

const FILE = 'trees';
const MAGIC = 'SVCTREE1';
const LENGTH_BYTES = 8;
const CHECKSUM_BYTES = 4;
const OWNER_ONLY = 0o600;
/** The most that one call reads or writes: the system takes no more than two gigabytes at once. */
const PIECE_BYTES = 1 << 26;

type SavedHead = Pick<Head, 'cutId' | 'stateRoot'>;

export class SavedTrees {
  readonly #path: string;

  constructor(directory: string) {
    this.#path = join(directory, FILE);
  }

  /** Must be called while no cut is being committed. Where the system refuses the file the next start goes without it. */
  save(trees: StateTrees, head: SavedHead): void {
    const temporary = `${this.#path}.new`;
    try {
      this.#write(temporary, trees, head);
      renameSync(temporary, this.#path);
    } catch (error) {
      if (!isOfSystem(error)) throw error;
      rmSync(temporary, { force: true, recursive: true });
    }
  }

  #write(path: string, trees: StateTrees, head: SavedHead): void {
    const file = openSync(path, 'w', OWNER_ONLY);
    try {
      const sum = new Checksum();
      writeAll(file, headBytes(head), sum);
      for (const array of trees.saved()) {
        const bytes = bytesOf(array);
        writeAll(file, lengthBytes(bytes.length), sum);
        writeAll(file, bytes, sum);
      }
      writeAll(file, sum.bytes(), new Checksum());
    } finally {
      closeSync(file);
    }
  }

  /** Fills empty trees; false, and the trees stay empty, unless the file can be read, is sound and of this head. */
  restore(trees: StateTrees, head: SavedHead): boolean {
    const arrays = this.#readIfPossible(head);
    if (arrays === undefined) return false;
    trees.restore(() => arrays.shift() as Uint8Array<ArrayBuffer>);
    return true;
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }

  /** A file that the system cannot read is removed, so that it is in nobody's way; if that fails too the next one replaces it. */
  #readIfPossible(head: SavedHead): Uint8Array<ArrayBuffer>[] | undefined {
    try {
      return this.#read(head);
    } catch (error) {
      if (!isOfSystem(error)) throw error;
    }
    try {
      this.remove();
    } catch (error) {
      if (!isOfSystem(error)) throw error;
    }
    return undefined;
  }

  #read(head: SavedHead): Uint8Array<ArrayBuffer>[] | undefined {
    const file = opened(this.#path);
    if (file === undefined) return undefined;
    try {
      const sum = new Checksum();
      const expected = headBytes(head);
      let left = fstatSync(file).size - expected.length - CHECKSUM_BYTES;
      if (left < 0 || !expected.equals(readAll(file, expected.length, sum))) return undefined;
      const arrays: Uint8Array<ArrayBuffer>[] = [];
      while (left > 0) {
        const length = Number(Buffer.from(readAll(file, LENGTH_BYTES, sum)).readBigUInt64LE());
        left -= LENGTH_BYTES + length;
        if (left < 0) return undefined;
        arrays.push(readAll(file, length, sum));
      }
      const isSound = sum.bytes().equals(readAll(file, CHECKSUM_BYTES, new Checksum()));
      return isSound ? arrays : undefined;
    } finally {
      closeSync(file);
    }
  }
}

class Checksum {
  #value = 0;

  add(bytes: Uint8Array): void {
    this.#value = crc32(bytes, this.#value);
  }

  bytes(): Buffer {
    const bytes = Buffer.alloc(CHECKSUM_BYTES);
    bytes.writeUInt32LE(this.#value);
    return bytes;
  }
}

function isOfSystem(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall !== undefined;
}

function opened(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function headBytes({ cutId, stateRoot }: SavedHead): Buffer {
  return Buffer.concat([
    Buffer.from(MAGIC),
    Buffer.from(cutId, 'hex'),
    Buffer.from(stateRoot, 'hex'),
  ]);
}

function lengthBytes(length: number): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES);
  bytes.writeBigUInt64LE(BigInt(length));
  return bytes;
}

function bytesOf({ buffer, byteOffset, byteLength }: SavedArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function writeAll(file: number, bytes: Uint8Array, sum: Checksum): void {
  sum.add(bytes);
  for (let at = 0; at < bytes.length; )
    at += writeSync(file, bytes, at, Math.min(PIECE_BYTES, bytes.length - at));
}

/** Memory of its own, so that arrays of any kind can stand on it. What the file lacks stays zero. */
function readAll(file: number, length: number, sum: Checksum): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const read = readSync(file, bytes, at, Math.min(PIECE_BYTES, length - at), null);
    if (read === 0) break;
    at += read;
  }
  sum.add(bytes);
  return bytes;
}
