/**
 * The sign state on a real disk. Every step is its own call, so that the signer decides the order; an
 * error of any of them is fatal to the process and never tried again.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { syncDirectorySync } from 'svc-base/node';
import type { SignStateStorage } from 'svc-consensus/machine';

const { O_CREAT, O_NOFOLLOW, O_RDONLY, O_TRUNC, O_WRONLY } = constants;
const OWNER_ONLY = 0o600;
/** Longer than any record; what is longer is read as damaged. */
const READ_BYTES_MAX = 16_384;

export class FileSignState implements SignStateStorage {
  readonly #directory: string;
  readonly #path: string;
  readonly #temporaryPath: string;
  #temporary: number | undefined;

  /** `directory` exists already; the record is the file `sign-state` in it. */
  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, 'sign-state');
    this.#temporaryPath = join(directory, 'sign-state.new');
  }

  read(): Uint8Array | undefined {
    const file = openExisting(this.#path);
    if (file === undefined) return undefined;
    try {
      const bytes = new Uint8Array(Math.min(fstatSync(file).size, READ_BYTES_MAX));
      let at = 0;
      while (at < bytes.length) {
        const count = readSync(file, bytes, at, bytes.length - at, at);
        if (count === 0) break;
        at += count;
      }
      return bytes.subarray(0, at);
    } finally {
      closeSync(file);
    }
  }

  writeTemporary(bytes: Uint8Array): void {
    const flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
    this.#temporary = openSync(this.#temporaryPath, flags, OWNER_ONLY);
    let at = 0;
    while (at < bytes.length) at += writeSync(this.#temporary, bytes, at, bytes.length - at, at);
  }

  syncTemporary(): void {
    if (this.#temporary === undefined) throw new Error('there is no temporary record to sync');
    fsyncSync(this.#temporary);
    closeSync(this.#temporary);
    this.#temporary = undefined;
  }

  renameTemporary(): void {
    renameSync(this.#temporaryPath, this.#path);
  }

  syncDirectory(): void {
    syncDirectorySync(this.#directory);
  }
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
