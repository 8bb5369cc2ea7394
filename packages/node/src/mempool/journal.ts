/**
 * Pairs of bytes that come and go quickly, kept in files that only grow: nothing is sorted, merged or copied
 * again but for what outlives most of its file. Files leave from the oldest on, so that a deletion is never
 * forgotten before what it deleted. One write runs at a time; one that fails must be the last.
 */
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  truncate,
  unlink,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncDirectory } from 'svc-base/node';
import type { Entry, KeyRange, WriteOperation } from 'svc-storage';
import { compareBytes } from 'svc-wasm/base';
import type { PoolDisk } from './pool-store.ts';

const FILE_BYTES = 32 << 20;
/** Bytes of files beyond twice what is kept, before the oldest file is emptied. */
const SLACK_BYTES = 64 << 20;
const WRITE_BYTES = 4 << 20;
const FILE_NAME = /^(\d{12})\.journal$/;

export interface JournalOptions {
  readonly fileBytes?: number;
  readonly slackBytes?: number;
  /** Told what was not whole at the end of a file: a crash leaves one record, a damaged disk more. */
  readonly onCutOff?: (facts: CutOff) => void;
  /** Told of bytes between whole records that are none: a disk that rots. The records in them are lost, no others. */
  readonly onRot?: (facts: Rot) => void;
}

export interface Rot extends CutOff {
  readonly at: number;
}

export interface CutOff {
  readonly file: string;
  readonly bytes: number;
}

interface JournalFile {
  readonly path: string;
  readonly number: number;
  bytes: number;
  /** Pairs in it that are still kept. */
  kept: number;
}

interface Place {
  readonly file: JournalFile;
  readonly at: number;
  readonly length: number;
}

export class Journal implements PoolDisk {
  readonly #directory: string;
  readonly #fileBytes: number;
  readonly #slackBytes: number;
  readonly #onCutOff: (facts: CutOff) => void;
  readonly #onRot: (facts: Rot) => void;
  /** Oldest first; the last one is written. */
  readonly #files: JournalFile[] = [];
  readonly #places = new Map<string, Place>();
  #keptBytes = 0;
  #totalBytes = 0;
  #handle: FileHandle | undefined;
  #staging = Buffer.allocUnsafe(64 << 10);

  private constructor(directory: string, options: JournalOptions) {
    this.#directory = directory;
    this.#fileBytes = options.fileBytes ?? FILE_BYTES;
    this.#slackBytes = options.slackBytes ?? SLACK_BYTES;
    this.#onCutOff = options.onCutOff ?? (() => {});
    this.#onRot = options.onRot ?? (() => {});
  }

  static async open(directory: string, options: JournalOptions = {}): Promise<Journal> {
    await mkdir(directory, { recursive: true });
    const journal = new Journal(directory, options);
    const names = (await readdir(directory)).filter((name) => FILE_NAME.test(name)).sort();
    for (const name of names) await journal.#load(name);
    try {
      const last = journal.#files.at(-1);
      if (last === undefined || last.bytes >= journal.#fileBytes) await journal.#begin();
      else journal.#handle = await open(last.path, 'r+');
      await journal.#tidy();
    } catch (error) {
      await journal.close();
      throw error;
    }
    return journal;
  }

  get bytes(): number {
    return this.#totalBytes;
  }

  async *scan({ from, to }: KeyRange): AsyncGenerator<readonly Entry[]> {
    for (const file of this.#files) {
      const kept = await this.#keptIn(file);
      yield kept
        .filter(({ key }) => compareBytes(key, from) >= 0 && compareBytes(key, to) < 0)
        .map(({ key, value }) => [key.slice(), value.slice()]);
    }
  }

  async write(
    operations: readonly WriteOperation[],
    options: { readonly sync: boolean },
  ): Promise<void> {
    await this.#append(operations, options.sync);
    if (this.#current.bytes >= this.#fileBytes) await this.#begin();
    await this.#tidy();
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }

  get #current(): JournalFile {
    const last = this.#files.at(-1);
    if (last === undefined) throw new Error('the journal has no file');
    return last;
  }

  async #append(operations: readonly WriteOperation[], sync: boolean): Promise<void> {
    const handle = this.#handle;
    if (handle === undefined) throw new Error('the journal is closed');
    for (let next = 0; next < operations.length; ) {
      const first = next;
      let bytes = 0;
      while (next < operations.length && (bytes === 0 || bytes < WRITE_BYTES)) {
        bytes += recordBytes(operations[next++] as WriteOperation);
      }
      await this.#writeSome(handle, operations.slice(first, next), bytes);
    }
    if (sync) await handle.datasync();
  }

  async #writeSome(
    handle: FileHandle,
    operations: readonly WriteOperation[],
    bytes: number,
  ): Promise<void> {
    if (this.#staging.length < bytes) this.#staging = Buffer.allocUnsafe(2 * bytes);
    const file = this.#current;
    let end = 0;
    for (const operation of operations) {
      const length = recordBytes(operation);
      putRecord(this.#staging, end, operation);
      this.#index(operation.key, operation.type, { file, at: file.bytes + end, length });
      end += length;
    }
    for (let written = 0; written < end; ) {
      const position = file.bytes + written;
      const { bytesWritten } = await handle.write(this.#staging, written, end - written, position);
      written += bytesWritten;
    }
    file.bytes += end;
    this.#totalBytes += end;
  }

  #index(key: Uint8Array, type: WriteOperation['type'], place: Place): void {
    const name = nameOf(key);
    const before = this.#places.get(name);
    if (before !== undefined) {
      before.file.kept--;
      this.#keptBytes -= before.length;
      this.#places.delete(name);
    }
    if (type === 'del') return;
    this.#places.set(name, place);
    place.file.kept++;
    this.#keptBytes += place.length;
  }

  /** Indexes the records of a file, passes over rot, and cuts off what a crash left of its last record. */
  async #load(name: string): Promise<void> {
    const path = join(this.#directory, name);
    const number = Number(FILE_NAME.exec(name)?.[1]);
    const file: JournalFile = { path, number, bytes: 0, kept: 0 };
    const bytes = await readFile(path);
    for (const { key, value, at, length } of recordsOf(bytes)) {
      if (at > file.bytes) this.#onRot({ file: name, at: file.bytes, bytes: at - file.bytes });
      this.#index(key, value === undefined ? 'del' : 'put', { file, at, length });
      file.bytes = at + length;
    }
    if (file.bytes < bytes.length) {
      this.#onCutOff({ file: name, bytes: bytes.length - file.bytes });
      await truncate(path, file.bytes);
    }
    this.#files.push(file);
    this.#totalBytes += file.bytes;
  }

  async #begin(): Promise<void> {
    await this.#handle?.close();
    const number = (this.#files.at(-1)?.number ?? 0) + 1;
    const path = join(this.#directory, `${String(number).padStart(12, '0')}.journal`);
    this.#handle = await open(path, 'wx');
    await syncDirectory(this.#directory);
    this.#files.push({ path, number, bytes: 0, kept: 0 });
  }

  async #tidy(): Promise<void> {
    for (let oldest = this.#idleFile(); oldest !== undefined; oldest = this.#idleFile()) {
      const kept = oldest.kept === 0 ? [] : await this.#keptIn(oldest);
      if (kept.length !== oldest.kept) {
        const found = `${kept.length} of ${oldest.kept} records`;
        throw new Error(`${basename(oldest.path)} holds ${found} that were written to it`);
      }
      await this.#append(
        kept.map(({ key, value }) => ({ type: 'put', key, value })),
        kept.length > 0,
      );
      await unlink(oldest.path);
      this.#files.shift();
      this.#totalBytes -= oldest.bytes;
    }
  }

  /** The oldest file, if it is not worth its bytes any more. */
  #idleFile(): JournalFile | undefined {
    const [oldest] = this.#files;
    if (oldest === undefined || oldest === this.#current) return undefined;
    const isTooMuch = this.#totalBytes > 2 * this.#keptBytes + this.#slackBytes;
    return oldest.kept === 0 || isTooMuch ? oldest : undefined;
  }

  async #keptIn(file: JournalFile): Promise<{ key: Uint8Array; value: Uint8Array }[]> {
    const bytes = await readFile(file.path);
    return [...recordsOf(bytes)].flatMap(({ key, value, at }) => {
      const place = this.#places.get(nameOf(key));
      const isKept = value !== undefined && place?.file === file && place.at === at;
      return isKept ? [{ key, value }] : [];
    });
  }
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
}

/*
 * Records of the journal: `length u32 | crc32 u32 | kind u8 | key length u8 | key | value`, little-endian. The
 * length counts what follows the checksum, and the checksum covers it. Behind a record that is not whole the next
 * whole one is looked for, first where the length says, then at every byte; there is none behind a torn end.
 */
const HEAD_BYTES = 8;
const KEY_AT = 10;
/** Longer than any transaction; a search does not compute checksums over more for what only looks like a length. */
const SEARCHED_BYTES_MAX = 1 << 20;
const PUT = 1;
const DELETE = 2;

interface JournalRecord {
  readonly key: Uint8Array;
  /** Undefined if the key was deleted. */
  readonly value: Uint8Array | undefined;
  /** Where the record begins, and how long it is. */
  readonly at: number;
  readonly length: number;
}

function recordBytes(operation: WriteOperation): number {
  const valueBytes = operation.type === 'put' ? operation.value.length : 0;
  return KEY_AT + operation.key.length + valueBytes;
}

/** Writes a record; the buffer has room for it. */
function putRecord(buffer: Buffer, at: number, operation: WriteOperation): void {
  const { key, type } = operation;
  const end = at + recordBytes(operation);
  buffer[at + HEAD_BYTES] = type === 'put' ? PUT : DELETE;
  buffer[at + HEAD_BYTES + 1] = key.length;
  buffer.set(key, at + KEY_AT);
  if (type === 'put') buffer.set(operation.value, at + KEY_AT + key.length);
  buffer.writeUInt32LE(end - at - HEAD_BYTES, at);
  buffer.writeUInt32LE(crc32(buffer.subarray(at + HEAD_BYTES, end)), at + 4);
}

/** The whole records of a file; they are parts of the bytes. */
function* recordsOf(bytes: Buffer): Generator<JournalRecord> {
  for (let at = 0; at + KEY_AT <= bytes.length; ) {
    const record = recordAt(bytes, at) ?? recordBehind(bytes, at);
    if (record === undefined) return;
    yield record;
    at = record.at + record.length;
  }
}

/** The record that begins here, if it is whole. */
function recordAt(bytes: Buffer, at: number, bytesMax = bytes.length): JournalRecord | undefined {
  if (at + KEY_AT > bytes.length) return undefined;
  const length = HEAD_BYTES + bytes.readUInt32LE(at);
  const end = at + length;
  const kind = bytes[at + HEAD_BYTES];
  const keyEnd = at + KEY_AT + (bytes[at + HEAD_BYTES + 1] as number);
  const isPossible = length <= bytesMax && keyEnd <= end && end <= bytes.length;
  if (!isPossible || (kind !== PUT && kind !== DELETE)) return undefined;
  if (crc32(bytes.subarray(at + HEAD_BYTES, end)) !== bytes.readUInt32LE(at + 4)) return undefined;
  const value = kind === PUT ? bytes.subarray(keyEnd, end) : undefined;
  return { key: bytes.subarray(at + KEY_AT, keyEnd), value, at, length };
}

/** The first whole record behind one that is not. */
function recordBehind(bytes: Buffer, at: number): JournalRecord | undefined {
  const next = at + HEAD_BYTES + bytes.readUInt32LE(at);
  const named = recordAt(bytes, next);
  if (named !== undefined) return named;
  for (let place = at + 1; place + KEY_AT <= bytes.length; place++) {
    const found = recordAt(bytes, place, SEARCHED_BYTES_MAX);
    if (found !== undefined) return found;
  }
  return undefined;
}
