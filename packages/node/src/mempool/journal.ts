/**
 * Pairs of bytes that come and go quickly, in append-only logs: nothing is sorted or merged, and a pair is copied again
 * only when it outlives most of its file. Files are removed from the oldest on, so that a deletion is never forgotten
 * before the pair that it deleted. One write runs at a time; the first that fails is the last. A corrupt record costs
 * that record alone.
 */
import { mkdir, readdir, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LogFile, scanLogFile } from 'svc-base/node';
import { LogWriter, RECORD_HEAD_BYTES } from 'svc-base/pure';
import type { Entry, KeyRange, WriteOperation } from 'svc-storage';
import { compareBytes } from 'svc-wasm/base';
import type { PoolDisk } from './pool-store.ts';

const FILE_BYTES = 32 << 20;
/** Bytes of files beyond twice what is kept, before the oldest file is emptied. */
const SLACK_BYTES = 64 << 20;
/** At most so much is written in one turn. */
const WRITE_BYTES = 1 << 20;
const KIND = 'mempool journal';
const FILE_NAME = /^(\d{12})\.journal$/;

export interface JournalOptions {
  readonly fileBytes?: number;
  readonly slackBytes?: number;
  /** The end of a file was not whole and was cut off: a crash leaves one record, a damaged disk more. */
  readonly onCutOff?: (facts: CutOff) => void;
  /** Bytes before a whole record were corrupt. The records in them are lost, no others. */
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
  #log: LogFile | undefined;
  #writer: LogWriter | undefined;

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
    try {
      for (const name of names) journal.#load(name);
      const last = journal.#files.at(-1);
      if (last === undefined || last.bytes >= journal.#fileBytes) journal.#begin();
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
      yield this.#keptIn(file)
        .filter(({ key }) => compareBytes(key, from) >= 0 && compareBytes(key, to) < 0)
        .map(({ key, value }) => [key.slice(), value.slice()]);
    }
  }

  async write(
    operations: readonly WriteOperation[],
    options: { readonly sync: boolean },
  ): Promise<void> {
    await this.#append(operations, options.sync);
    if (this.#current.bytes >= this.#fileBytes) this.#begin();
    await this.#tidy();
  }

  async close(): Promise<void> {
    this.#log?.close();
    this.#log = undefined;
  }

  get #current(): JournalFile {
    const last = this.#files.at(-1);
    if (last === undefined) throw new Error('the journal has no file');
    return last;
  }

  async #append(operations: readonly WriteOperation[], sync: boolean): Promise<void> {
    const writer = this.#writer;
    if (this.#log === undefined || writer === undefined) throw new Error('the journal is closed');
    for (let next = 0; next < operations.length; ) {
      const first = next;
      let bytes = 0;
      while (next < operations.length && (bytes === 0 || bytes < WRITE_BYTES)) {
        bytes += recordBytes(operations[next++] as WriteOperation);
      }
      if (first > 0) await nextTurn();
      this.#appendSome(writer, operations.slice(first, next));
    }
    if (sync) await writer.flush();
  }

  #appendSome(writer: LogWriter, operations: readonly WriteOperation[]): void {
    const file = this.#current;
    writer.appendAll(operations.map(payloadOf));
    for (const operation of operations) {
      const length = recordBytes(operation);
      this.#index(operation.key, operation.type, { file, at: file.bytes, length });
      file.bytes += length;
      this.#totalBytes += length;
    }
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

  /** Indexes the records of a file, skips corrupt ones, and cuts off the end if it is not whole. */
  #load(name: string): void {
    const path = join(this.#directory, name);
    const onHeaderDamage = (_: string, bytes: number) => this.#onRot({ file: name, at: 0, bytes });
    const log = new LogFile(path, { kind: KIND, onHeaderDamage });
    const number = Number(FILE_NAME.exec(name)?.[1]);
    const file: JournalFile = { path, number, bytes: log.start, kept: 0 };
    let records = 0;
    for (const part of log.parts()) {
      if (part.type !== 'record') continue;
      const { at, end, record } = part;
      if (at > file.bytes) this.#onRot({ file: name, at: file.bytes, bytes: at - file.bytes });
      const { key, value } = readPayload(record.payload);
      this.#index(key, value === undefined ? 'del' : 'put', { file, at, length: end - at });
      file.bytes = end;
      records = record.sequence + 1;
    }
    if (file.bytes < log.size) {
      this.#onCutOff({ file: name, bytes: log.size - file.bytes });
      log.truncate(file.bytes);
    }
    this.#log?.close();
    this.#log = log;
    this.#writer = new LogWriter(log, records);
    this.#files.push(file);
    this.#totalBytes += file.bytes;
  }

  #begin(): void {
    this.#log?.close();
    const number = (this.#files.at(-1)?.number ?? 0) + 1;
    const path = join(this.#directory, `${String(number).padStart(12, '0')}.journal`);
    this.#log = new LogFile(path, { kind: KIND });
    this.#writer = new LogWriter(this.#log);
    const bytes = this.#log.start;
    this.#files.push({ path, number, bytes, kept: 0 });
    this.#totalBytes += bytes;
  }

  async #tidy(): Promise<void> {
    for (let oldest = this.#idleFile(); oldest !== undefined; oldest = this.#idleFile()) {
      const kept = oldest.kept === 0 ? [] : this.#keptIn(oldest);
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

  #keptIn(file: JournalFile): { key: Uint8Array; value: Uint8Array }[] {
    return [...scanLogFile(file.path, KIND)].flatMap((part) => {
      if (part.type !== 'record') return [];
      const { key, value } = readPayload(part.record.payload);
      const place = this.#places.get(nameOf(key));
      const isKept = value !== undefined && place?.file === file && place.at === part.at;
      return isKept ? [{ key, value }] : [];
    });
  }
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
}

/* The payload of a record: `kind u8 | key length u8 | key | value`. */
const KEY_AT = 2;
const PUT = 1;
const DELETE = 2;

function recordBytes(operation: WriteOperation): number {
  const valueBytes = operation.type === 'put' ? operation.value.length : 0;
  return RECORD_HEAD_BYTES + KEY_AT + operation.key.length + valueBytes;
}

function payloadOf(operation: WriteOperation): Uint8Array {
  const { key, type } = operation;
  const payload = new Uint8Array(recordBytes(operation) - RECORD_HEAD_BYTES);
  payload[0] = type === 'put' ? PUT : DELETE;
  payload[1] = key.length;
  payload.set(key, KEY_AT);
  if (type === 'put') payload.set(operation.value, KEY_AT + key.length);
  return payload;
}

/** The value is undefined if the key was deleted. */
function readPayload(payload: Uint8Array): { key: Uint8Array; value: Uint8Array | undefined } {
  const keyEnd = KEY_AT + (payload[1] as number);
  const value = payload[0] === PUT ? payload.subarray(keyEnd) : undefined;
  return { key: payload.subarray(KEY_AT, keyEnd), value };
}
