/**
 * An append-only log on a disk. The file begins with a header that names its kind; a file of another kind or version is
 * refused and not changed. The first write, sync or truncation that fails is fatal: the content of the disk is unknown
 * then, so every later call throws the same error.
 */
import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { LogStorage } from '../pure/append-log/log-writer.ts';
import { type LogPart, type LogSource, lastRecord, scanLog } from '../pure/append-log/read-log.ts';
import { decodeHeader, encodeHeader } from '../pure/append-log/record.ts';
import { syncDirectorySync } from './files.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDONLY, O_RDWR, O_WRONLY } = constants;
const NO_FOLLOW = O_NOFOLLOW ?? 0;
const OWNER_ONLY = 0o600;
const KIND_BYTES_MAX = 128;
const syncData = promisify(fdatasync);

export interface LogFileOptions {
  /** Written in the header, such as `mempool journal`. */
  readonly kind: string;
  /** Called after a damaged header before an intact record was rewritten. */
  readonly onHeaderDamage?: (path: string, bytes: number) => void;
}

export class LogFile implements LogStorage, LogSource {
  readonly path: string;
  readonly #header: Uint8Array;
  readonly #descriptor: number;
  #size: number;
  #isOpen = true;
  #failure: { readonly error: unknown } | undefined;

  /** Opens a log, or creates it. */
  constructor(path: string, { kind, onHeaderDamage }: LogFileOptions) {
    this.path = path;
    this.#header = encodeHeader(kind);
    this.#descriptor = openSync(path, O_RDWR | O_CREAT | O_APPEND | NO_FOLLOW, OWNER_ONLY);
    this.#size = fstatSync(this.#descriptor).size;
    try {
      this.#checkHeader(onHeaderDamage);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Bytes in the file, with the header. */
  get size(): number {
    return this.#size;
  }

  /** Where the first record begins. */
  get start(): number {
    return this.#header.length;
  }

  read(at = 0, length: number = this.#size): Uint8Array {
    return readAt(this.#file, at, Math.min(length, this.#size - at));
  }

  parts(): Generator<LogPart, void> {
    return scanLog(this, this.start);
  }

  /** The last intact record and what follows it, without reading the whole file if the end is sound. */
  last(): readonly LogPart[] {
    const found = lastRecord(this, this.start);
    if (found !== undefined) return found;
    const parts: LogPart[] = [];
    for (const part of this.parts()) {
      if (part.type === 'record') parts.length = 0;
      parts.push(part);
    }
    return parts;
  }

  append(bytes: Uint8Array): void {
    this.#guard(() => {
      for (let at = 0; at < bytes.length; ) {
        at += writeSync(this.#file, bytes, at, bytes.length - at);
      }
      this.#size += bytes.length;
    });
  }

  sync(): void {
    this.#guard(() => fdatasyncSync(this.#file));
  }

  async flush(): Promise<void> {
    this.#expectSound();
    try {
      await syncData(this.#file);
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }

  reset(): void {
    this.truncate(this.start);
  }

  /** The rest is on disk afterwards, also what was only in memory when the process died. */
  truncate(length: number): void {
    this.#guard(() => {
      ftruncateSync(this.#file, Math.max(length, this.start));
      fsyncSync(this.#file);
      this.#size = Math.max(length, this.start);
    });
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#descriptor);
  }

  /** The system gives the number of a closed file to the next one, so nothing may be written to it. */
  get #file(): number {
    if (this.#isOpen) return this.#descriptor;
    throw new Error(`${this.path} is closed`);
  }

  #expectSound(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #guard(work: () => void): void {
    this.#expectSound();
    try {
      work();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  #checkHeader(onDamage: LogFileOptions['onHeaderDamage']): void {
    const wanted = this.#header;
    const found = readAt(this.#descriptor, 0, wanted.length);
    if (isEqual(found, wanted)) return;
    // A crash while the file was made leaves a part of the header and nothing else.
    if (this.#size < wanted.length && isEqual(found, wanted.subarray(0, found.length))) {
      if (this.#size > 0) ftruncateSync(this.#descriptor, 0);
      this.#size = 0;
      this.append(wanted);
      fsyncSync(this.#descriptor);
      syncDirectorySync(dirname(this.path));
      return;
    }
    const kind = textOf(wanted);
    const other = textOf(readAt(this.#descriptor, 0, KIND_BYTES_MAX));
    if (other !== undefined) throw new Error(`${this.path} is a file "${other}", not "${kind}"`);
    if (this.parts().next().value?.type !== 'record')
      throw new Error(`${this.path} does not begin as a file "${kind}"; nothing was changed in it`);
    const file = openSync(this.path, O_WRONLY | NO_FOLLOW);
    try {
      writeSync(file, wanted, 0, wanted.length, 0);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    onDamage?.(this.path, wanted.length);
  }
}

/** The parts of a log that another process may be writing; nothing is changed in it. */
export function* scanLogFile(path: string, kind: string): Generator<LogPart, void> {
  const file = openSync(path, O_RDONLY | NO_FOLLOW);
  try {
    const { size } = fstatSync(file);
    const read = (at: number, length: number) => readAt(file, at, Math.min(length, size - at));
    yield* scanLog({ size, read }, encodeHeader(kind).length);
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, from: number, length: number): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, length));
  let at = 0;
  while (at < bytes.length) {
    const count = readSync(file, bytes, at, bytes.length - at, from + at);
    if (count === 0) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

function textOf(bytes: Uint8Array): string | undefined {
  const header = decodeHeader(bytes);
  return header === undefined ? undefined : Buffer.from(header.payload).toString('latin1').trim();
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
