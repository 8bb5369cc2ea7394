/**
 * Records of one table that come in any order and leave nearly in that of their keys: a file beside the database has them
 * in parts by the beginning of their keys, each of which fits into memory. A table that is written in random order is merged by
 * the engine again and again, which takes longer than all else. The file is removed at the end, and useless after a kill.
 * Its pieces stay in the system's memory where there is enough, so they are written and read in the caller's turn.
 */
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';

const PIECE_BYTES = 32 << 10;
const OWNER_ONLY = 0o600;

export interface UnsortedTable {
  /** The first byte of all keys, which is not stored. */
  readonly prefix: number;
  readonly keyBytes: number;
  readonly valueBytes: number;
  /** The part that a record belongs to; parts ascend with the keys, and there are some hundreds. */
  readonly partOf: (bytes: Uint8Array, keyAt: number) => number;
}

interface Part {
  /** Where its pieces begin in the file; all of them are full. */
  readonly pieces: number[];
  readonly memory: Uint8Array;
  used: number;
}

export class UnsortedRecords {
  readonly #table: UnsortedTable;
  readonly #path: string;
  readonly #file: number;
  readonly #recordBytes: number;
  readonly #pieceBytes: number;
  readonly #parts = new Map<number, Part>();
  #end = 0;

  constructor(path: string, table: UnsortedTable) {
    this.#path = path;
    this.#file = openSync(path, 'w+', OWNER_ONLY);
    this.#table = table;
    this.#recordBytes = table.keyBytes + table.valueBytes;
    this.#pieceBytes = PIECE_BYTES - (PIECE_BYTES % this.#recordBytes);
  }

  /** Adds a record from the bytes at a place: a key without its prefix, then a value. */
  add(bytes: Uint8Array, at: number): void {
    const number = this.#table.partOf(bytes, at);
    let part = this.#parts.get(number);
    if (part === undefined) {
      part = { pieces: [], memory: new Uint8Array(this.#pieceBytes), used: 0 };
      this.#parts.set(number, part);
    }
    if (part.used === part.memory.length) this.#write(part);
    const { memory, used } = part;
    const length = this.#recordBytes;
    for (let i = 0; i < length; i++) memory[used + i] = bytes[at + i] as number;
    part.used += length;
  }

  #write(part: Part): void {
    const { memory } = part;
    for (let at = 0; at < memory.length; )
      at += writeSync(this.#file, memory, at, memory.length - at, this.#end + at);
    part.pieces.push(this.#end);
    part.used = 0;
    this.#end += memory.length;
  }

  /** All records with their keys, some at a time; the parts ascend, and within a part there is no order. */
  *sorted(): Generator<[Uint8Array, Uint8Array][]> {
    const numbers = [...this.#parts.keys()].sort((a, b) => a - b);
    for (const number of numbers) {
      const { pieces, memory, used } = this.#parts.get(number) as Part;
      this.#parts.delete(number);
      for (const start of pieces) yield this.#records(this.#read(start));
      yield this.#records(memory.subarray(0, used));
    }
  }

  #read(start: number): Uint8Array {
    const piece = new Uint8Array(this.#pieceBytes);
    for (let at = 0; at < piece.length; ) {
      const read = readSync(this.#file, piece, at, piece.length - at, start + at);
      if (read === 0) throw new Error(`${this.#path} was cut short`);
      at += read;
    }
    return piece;
  }

  #records(piece: Uint8Array): [Uint8Array, Uint8Array][] {
    const { prefix, keyBytes } = this.#table;
    const keys = new Uint8Array((piece.length / this.#recordBytes) * (1 + keyBytes));
    const records: [Uint8Array, Uint8Array][] = [];
    for (let at = 0, keyAt = 0; at < piece.length; at += this.#recordBytes) {
      keys[keyAt] = prefix;
      for (let i = 0; i < keyBytes; i++) keys[keyAt + 1 + i] = piece[at + i] as number;
      const key = keys.subarray(keyAt, keyAt + 1 + keyBytes);
      records.push([key, piece.subarray(at + keyBytes, at + this.#recordBytes)]);
      keyAt += 1 + keyBytes;
    }
    return records;
  }

  close(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }
}
