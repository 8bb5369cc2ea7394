/**
 * Files that bodies of blocks are appended to. A body is written once and never moved; a file is removed when no record
 * names anything in it. What follows the bytes that the database knows of was never committed: `cutOff` removes it, at
 * the latest before the next body is written; until then files are only read.
 */
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory, syncDirectory } from 'svc-base/node';
import { StoreDamagedError } from '../errors.ts';
import { CHAIN_CONTENTS } from '../open/contents.ts';
import { isUnreadable, unreadableAt } from '../open/failing-reads.ts';
import {
  type BodyEntry,
  type BodyPlace,
  type FileContents,
  FRAME_HEAD_BYTES,
  frameHead,
} from './body-records.ts';
import { writeAll } from './write-all.ts';

/** A file that has reached this size gets no further body. */
const FILE_BYTES = 32 << 20;
const FILE_NAME = /^(\d{6,10})\.bodies$/;

export interface BodyFilesOptions {
  /** Bytes after which a new file is begun; tests make files small. */
  readonly bodyFileBytes?: number;
}

interface Writing {
  readonly file: number;
  readonly handle: FileHandle;
}

export class BodyFiles {
  readonly #directory: string;
  readonly #fileBytes: number;
  readonly #contents: Map<number, FileContents>;
  readonly #changed = new Set<number>();
  /** Files without a named body; they are removed once a crash cannot bring the names back. */
  #over: number[] = [];
  /** No number is used twice: the file that had it may still be about to go. */
  #newest: number;
  #writing: Writing | undefined;
  #isSynced = true;

  /** Throws if a file lacks something that the database names. */
  constructor(
    directory: string,
    contents: Iterable<readonly [number, FileContents]>,
    { bodyFileBytes = FILE_BYTES }: BodyFilesOptions = {},
  ) {
    this.#directory = directory;
    this.#fileBytes = bodyFileBytes;
    this.#contents = new Map(contents);
    this.#newest = Math.max(0, ...this.#contents.keys());
    for (const [file, { bytes }] of this.#contents) {
      const path = bodyPath(directory, file);
      const size = statSync(path, { throwIfNoEntry: false })?.size;
      if (size === undefined || size < bytes) throw shortened(path, size);
    }
  }

  /** Appends records; they are on the disk after the next `sync`. */
  async append(entries: readonly BodyEntry[]): Promise<BodyPlace[]> {
    const places: BodyPlace[] = [];
    for (let next = 0; next < entries.length; ) {
      const { file, handle } = await this.#roomy();
      const before = this.#contentsOf(file);
      let { bodies, bytes } = before;
      const pieces: Uint8Array[] = [];
      for (; next < entries.length && bytes < this.#fileBytes; next++) {
        const entry = entries[next] as BodyEntry;
        const { length } = entry.record;
        pieces.push(frameHead(entry), entry.record);
        places.push({ file, offset: bytes + FRAME_HEAD_BYTES, length });
        bytes += FRAME_HEAD_BYTES + length;
        bodies++;
      }
      this.#isSynced = false;
      await writeAll(handle, pieces, before.bytes);
      this.#set(file, { bodies, bytes });
    }
    return places;
  }

  /** Brings everything that was appended to the disk. */
  async sync(): Promise<void> {
    if (this.#isSynced) return;
    await this.#writing?.handle.datasync();
    this.#isSynced = true;
  }

  /** The body at a place lost its name. */
  release({ file }: BodyPlace): void {
    const { bodies, bytes } = this.#contentsOf(file);
    this.#set(file, { bodies: bodies - 1, bytes });
  }

  /** What has changed since the last call; undefined for files without a named body. */
  takeChanges(): [file: number, FileContents | undefined][] {
    const changes = [...this.#changed].map((file): [number, FileContents | undefined] => {
      const contents = this.#contentsOf(file);
      const isOver = contents.bodies === 0 && file !== this.#writing?.file;
      if (!isOver) return [file, contents];
      this.#contents.delete(file);
      this.#over.push(file);
      return [file, undefined];
    });
    this.#changed.clear();
    return changes;
  }

  /** Removes the files without a named body, once that is on the disk. */
  removeOver(): void {
    this.#remove(this.#over);
    this.#over = [];
  }

  readSync(place: BodyPlace): Uint8Array {
    return readBodySync(this.#directory, place);
  }

  async read(place: BodyPlace): Promise<Uint8Array> {
    const path = bodyPath(this.#directory, place.file);
    const handle = await open(path, 'r').catch((error: unknown) => {
      throw isMissing(error) ? shortened(path, undefined) : error;
    });
    try {
      const record = Buffer.allocUnsafeSlow(place.length);
      const { bytesRead } = await handle.read(record, 0, place.length, place.offset);
      return record.subarray(0, bytesRead);
    } catch (error) {
      throw isUnreadable(error) ? unreadableAt(path, place.offset, CHAIN_CONTENTS.advice) : error;
    } finally {
      await handle.close();
    }
  }

  async close(): Promise<void> {
    await this.#writing?.handle.close();
    this.#writing = undefined;
  }

  #remove(files: readonly number[]): void {
    for (const file of files) rmSync(bodyPath(this.#directory, file), { force: true });
  }

  #contentsOf(file: number): FileContents {
    return this.#contents.get(file) ?? { bodies: 0, bytes: 0 };
  }

  #set(file: number, contents: FileContents): void {
    this.#contents.set(file, contents);
    this.#changed.add(file);
  }

  /** The file to write to, which has room. */
  async #roomy(): Promise<Writing> {
    const writing = this.#writing ?? (await this.#begin());
    if (this.#contentsOf(writing.file).bytes < this.#fileBytes) return writing;
    await this.sync();
    await writing.handle.close();
    this.#writing = undefined;
    // The file may have lost its last body meanwhile.
    this.#changed.add(writing.file);
    return await this.#create();
  }

  /** Removes what was never committed; nothing may have been appended yet. */
  cutOff(): void {
    if (!existsSync(this.#directory)) return;
    for (const file of bodyFilesIn(this.#directory)) {
      const contents = this.#contents.get(file);
      if (contents !== undefined) truncateSync(bodyPath(this.#directory, file), contents.bytes);
      else if (!this.#over.includes(file)) this.#remove([file]);
    }
  }

  /** Continues with the newest file. */
  async #begin(): Promise<Writing> {
    await makeDirectory(this.#directory);
    this.cutOff();
    const file = Math.max(0, ...this.#contents.keys());
    if (file === 0) return await this.#create();
    const handle = await open(bodyPath(this.#directory, file), 'r+');
    this.#writing = { file, handle };
    return await this.#roomy();
  }

  async #create(): Promise<Writing> {
    const file = ++this.#newest;
    const handle = await open(bodyPath(this.#directory, file), 'wx', 0o600);
    try {
      await syncDirectory(this.#directory);
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.#writing = { file, handle };
    return this.#writing;
  }
}

export function bodyPath(directory: string, file: number): string {
  return join(directory, `${String(file).padStart(6, '0')}.bodies`);
}

/** The numbers of all files, in order. */
export function bodyFilesIn(directory: string): number[] {
  return readdirSync(directory)
    .map((name) => Number(FILE_NAME.exec(name)?.[1] ?? 0))
    .filter((file) => file > 0)
    .sort((a, b) => a - b);
}

/** The record at a place, or the part of it that is there. */
export function readBodySync(directory: string, { file, offset, length }: BodyPlace): Uint8Array {
  const path = bodyPath(directory, file);
  let opened: number;
  try {
    opened = openSync(path, 'r');
  } catch (error) {
    throw isMissing(error) ? shortened(path, undefined) : error;
  }
  try {
    const record = Buffer.allocUnsafeSlow(length);
    return record.subarray(0, readSync(opened, record, 0, length, offset));
  } catch (error) {
    throw isUnreadable(error) ? unreadableAt(path, offset, CHAIN_CONTENTS.advice) : error;
  } finally {
    closeSync(opened);
  }
}

function shortened(path: string, size: number | undefined): StoreDamagedError {
  const what = size === undefined ? 'is missing' : 'is shorter than it was';
  return new StoreDamagedError(`${path} ${what}; ${CHAIN_CONTENTS.advice}`);
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
