/**
 * A log of what cuts have changed in the trees, beside the file that they are read from. Records are appended before the database
 * is written, so that a process that is killed leaves no cut that the log lacks; they are not synced, for without them the trees are
 * built from the database. Checksums run through all logs of a lineage: a record that is missing, or another's, breaks them.
 *
 * Magic, lineage, generation, checksum at the end of the log before, CRC-32; then records: length of the changes in words, cut id, state
 * root, changes, CRC-32.
 */
import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAll } from '../bodies/write-all.ts';
import { type BaseName, LINEAGE_BYTES } from './base-file.ts';
import {
  bytesOf,
  CHECKSUM_BYTES,
  Checksum,
  CUT_BYTES,
  cutBytes,
  cutIn,
  type LogEnd,
  readInto,
  type TreesCut,
  withFile,
} from './file-bytes.ts';

const MAGIC = Buffer.from('SVCTLOG1');
const NUMBERS_AT = MAGIC.length + LINEAGE_BYTES;
const HEAD_BYTES = NUMBERS_AT + 4 + 4 + CHECKSUM_BYTES;
const RECORD_HEAD_BYTES = 4 + CUT_BYTES;
const OWNER_ONLY = 0o600;
const LOG_NAME = /^trees\.(\d{1,10})\.log$/;

export function logPath(directory: string, generation: number): string {
  return join(directory, `trees.${generation}.log`);
}

/** The generation of a log; undefined of any other file. */
export function generationOf(name: string): number | undefined {
  const found = LOG_NAME.exec(name);
  return found === null ? undefined : Number(found[1]);
}

export class TreeLog {
  readonly #path: string;
  readonly #name: BaseName;
  /** The checksum at the end of the log before this one. */
  readonly #checksumBefore: number;
  #end: LogEnd;
  #handle: FileHandle | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** Begins a log, or continues with one behind `end`. Nothing is written before the first record. */
  constructor(directory: string, name: BaseName, end: Pick<LogEnd, 'bytes' | 'checksum'>) {
    const { generation } = name;
    this.#path = logPath(directory, generation);
    this.#name = name;
    this.#checksumBefore = end.checksum;
    this.#end = { generation, bytes: end.bytes, checksum: end.checksum };
  }

  /** The end of everything that was appended. */
  get end(): LogEnd {
    return this.#end;
  }

  /** Rejects if the system refuses it; then the log ends before it. The changes must stay as they are until it resolves. */
  append(cut: TreesCut, changes: Uint32Array): Promise<void> {
    const { generation, bytes: at } = this.#end;
    const pieces: Uint8Array[] = [];
    if (at === 0) pieces.push(logHead(this.#name, this.#checksumBefore));
    const sum = new Checksum(pieces[0] === undefined ? this.#end.checksum : checksumOf(pieces[0]));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(changes.length);
    const record = [Buffer.concat([length, cutBytes(cut)]), bytesOf(changes)];
    for (const piece of record) sum.add(piece);
    pieces.push(...record, sum.bytes());
    const bytes = pieces.reduce((all, piece) => all + piece.length, at);
    this.#end = { generation, bytes, checksum: sum.value };
    this.#writing = this.#writing.then(() => this.#write(pieces, at));
    return this.#writing;
  }

  async #write(pieces: readonly Uint8Array[], at: number): Promise<void> {
    this.#handle ??= await this.#open(at);
    await writeAll(this.#handle, pieces, at);
  }

  /** What follows this offset was never committed. */
  async #open(at: number): Promise<FileHandle> {
    const handle = await open(this.#path, at === 0 ? 'w' : 'r+', OWNER_ONLY);
    try {
      await handle.truncate(at);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return handle;
  }

  async close(): Promise<void> {
    await this.#writing.catch(() => {}); // The appender got the error.
    await this.#handle?.close();
    this.#handle = undefined;
  }
}

function logHead({ lineage, generation }: BaseName, checksumBefore: number): Buffer {
  const numbers = Buffer.alloc(4 + 4);
  numbers.writeUInt32LE(generation);
  numbers.writeUInt32LE(checksumBefore, 4);
  const head = Buffer.concat([MAGIC, lineage, numbers]);
  const sum = new Checksum();
  sum.add(head);
  return Buffer.concat([head, sum.bytes()]);
}

function checksumOf(head: Uint8Array): number {
  return Buffer.from(head).readUInt32LE(head.length - CHECKSUM_BYTES);
}

/** A record of a log. */
export interface LogRecord {
  readonly cut: TreesCut;
  /** Overwritten by the next record. */
  readonly changes: Uint32Array;
  /** The end of the record. */
  readonly end: LogEnd;
}

/**
 * The records of the log of a generation and of those after it, in order; they end before the first one that is torn, corrupt,
 * or does not follow.
 */
export function* readLogs(directory: string, name: BaseName): Generator<LogRecord, void> {
  let checksumBefore: number | undefined;
  for (let { generation } = name; ; generation++) {
    const log = new LogReader(logPath(directory, generation));
    if (!log.begin({ ...name, generation }, checksumBefore)) return;
    for (let record = log.next(); record !== undefined; record = log.next()) yield record;
    checksumBefore = log.end.checksum;
  }
}

/** Opens its file for each read, so that a reader who stops leaves nothing open. */
class LogReader {
  readonly #path: string;
  #end: LogEnd = { generation: 0, bytes: 0, checksum: 0 };
  #memory = new Uint32Array(0);

  constructor(path: string) {
    this.#path = path;
  }

  /** The end of the last record that was read. */
  get end(): LogEnd {
    return this.#end;
  }

  /** False unless this is the log of the name, and follows the end of the one before. */
  begin(name: BaseName, checksumBefore: number | undefined): boolean {
    const head = Buffer.alloc(HEAD_BYTES);
    withFile(this.#path, (file) => readInto(file, head, 0));
    const before = checksumBefore ?? head.readUInt32LE(NUMBERS_AT + 4);
    if (!head.equals(logHead(name, before))) return false;
    this.#end = { generation: name.generation, bytes: HEAD_BYTES, checksum: checksumOf(head) };
    return true;
  }

  next(): LogRecord | undefined {
    return withFile(this.#path, (file) => this.#read(file));
  }

  #read(file: number): LogRecord | undefined {
    const { generation, bytes: at, checksum } = this.#end;
    const left = fstatSync(file).size - at - RECORD_HEAD_BYTES - CHECKSUM_BYTES;
    if (left < 0) return undefined;
    const head = Buffer.alloc(RECORD_HEAD_BYTES);
    readInto(file, head, at);
    const length = head.readUInt32LE();
    if (4 * length > left) return undefined;
    if (length > this.#memory.length) this.#memory = new Uint32Array(length);
    const changes = this.#memory.subarray(0, length);
    readInto(file, bytesOf(changes), at + RECORD_HEAD_BYTES);
    const sum = new Checksum(checksum);
    sum.add(head);
    sum.add(bytesOf(changes));
    const end = at + RECORD_HEAD_BYTES + 4 * length;
    const expected = Buffer.alloc(CHECKSUM_BYTES);
    readInto(file, expected, end);
    if (!sum.bytes().equals(expected)) return undefined;
    this.#end = { generation, bytes: end + CHECKSUM_BYTES, checksum: sum.value };
    return { cut: cutIn(head, 4), changes, end: this.#end };
  }
}
