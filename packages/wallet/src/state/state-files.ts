/**
 * Files beside the state: which process holds it, its checksum while no process does, and its backup.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncDirectorySync } from 'svc-base/node';
import { FileRefusal } from '../errors.ts';
import { createSecret, readSecret, replaceSecret } from '../file/secret-file.ts';
import type { Database } from './database.ts';

export interface Holder {
  readonly pid: number;
  /** The command that the process was started with, such as `daemon`. */
  readonly purpose: string;
  /** The address at which the daemon listens, once it does. */
  readonly url?: string;
  readonly tokenFile?: string;
  /** Of the daemon's own certificate, if it has one. */
  readonly fingerprint?: string;
}

export function writeHolder(path: string, holder: Holder): void {
  replaceSecret(path, new TextEncoder().encode(`${JSON.stringify(holder)}\n`));
}

/**
 * What the file says; undefined if it is not there or says nothing of use. Throws if another user can have written it:
 * it names where a token is sent.
 */
export function readHolder(path: string): Holder | undefined {
  try {
    const text = new TextDecoder().decode(readSecret(path));
    const holder = JSON.parse(text) as Partial<Holder>;
    if (typeof holder.pid !== 'number' || typeof holder.purpose !== 'string') return undefined;
    return {
      pid: holder.pid,
      purpose: holder.purpose,
      ...(typeof holder.url === 'string' ? { url: holder.url } : {}),
      ...(typeof holder.tokenFile === 'string' ? { tokenFile: holder.tokenFile } : {}),
      ...(typeof holder.fingerprint === 'string' ? { fingerprint: holder.fingerprint } : {}),
    };
  } catch (error) {
    if (error instanceof FileRefusal && error.fault !== 'missing') throw error;
    return undefined;
  }
}

export function forgetHolder(path: string): void {
  rmSync(path, { force: true });
}

/** As a text; a file that is refused names no process. */
export function describeHolder(path: string): string {
  try {
    const holder = readHolder(path);
    if (holder !== undefined) return `process ${holder.pid} (svc-wallet ${holder.purpose})`;
  } catch {
    // Whose file it is matters to those who would go by it.
  }
  return 'another process';
}

const CHUNK_BYTES = 1 << 20;

type SumVerdict = 'sound' | 'damaged' | 'unknown';

function sumPath(path: string): string {
  return `${path}.sum`;
}

/** Whether the state is what was closed; unknown if it was not closed, or if it was written since. */
export function checkSum(path: string): SumVerdict {
  if (!existsSync(sumPath(path))) return 'unknown';
  const [writtenAt, sum, own] = readFileSync(sumPath(path), 'latin1').trim().split(' ');
  const isWhole = own === String(crc32(`${writtenAt} ${sum}`));
  if (!isWhole || writtenAt !== lastWrite(path)) return 'unknown';
  return sum === sumOf(path) ? 'sound' : 'damaged';
}

/** Called when the state is closed and no process has it open. A state whose sum cannot be written has none. */
export function writeSum(path: string): void {
  try {
    const text = `${lastWrite(path)} ${sumOf(path)}`;
    writeFileSync(sumPath(path), `${text} ${crc32(text)}\n`, { mode: 0o600 });
  } catch {
    // The state itself is closed and whole; the next opening looks through it.
  }
}

/** Called before the state is written, gone from the disk when it returns: a loss of power may leave the time of the last write as it was. */
export function forgetSum(path: string): void {
  if (!existsSync(sumPath(path))) return;
  rmSync(sumPath(path), { force: true });
  syncDirectorySync(dirname(path));
}

/** Whether a process has left the state without closing it. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function lastWrite(path: string): string {
  return String(statSync(path, { bigint: true }).mtimeNs);
}

/** The size and the checksum of a file. */
function sumOf(path: string): string {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const file = openSync(path, 'r');
  let size = 0;
  let sum = 0;
  try {
    for (;;) {
      const count = readSync(file, chunk, 0, CHUNK_BYTES, size);
      if (count === 0) return `${size}:${sum.toString(16)}`;
      sum = crc32(chunk.subarray(0, count), sum);
      size += count;
    }
  } finally {
    closeSync(file);
  }
}

interface MadeBackup {
  readonly path: string;
  readonly bytes: number;
}

export class StateBackup {
  readonly #path: string;
  readonly #database: Pick<Database, 'copyTo'>;
  #running: Promise<MadeBackup> | undefined;

  /** Of the state at a path, which is open. */
  constructor(path: string, database: Pick<Database, 'copyTo'>) {
    this.#path = path;
    this.#database = database;
  }

  /** Who asks while one is being made gets that one. */
  make(): Promise<MadeBackup> {
    this.#running ??= this.#make().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #make(): Promise<MadeBackup> {
    const path = `${this.#path}.backup`;
    const unfinished = `${path}.new`;
    rmSync(unfinished, { force: true });
    createSecret(unfinished, new Uint8Array(0));
    await this.#database.copyTo(unfinished);
    const file = openSync(unfinished, 'r+');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
    syncDirectorySync(dirname(path));
    return { path, bytes: statSync(path).size };
  }
}
