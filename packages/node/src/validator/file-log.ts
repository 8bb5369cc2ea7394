/**
 * The log of a height on a real disk: appended to, synced before anything is signed, emptied when the
 * next height starts. An error of any call is fatal to the process and never tried again.
 */
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import type { LogStorage } from 'svc-consensus/machine';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
const OWNER_ONLY = 0o600;

export class FileLog implements LogStorage {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, OWNER_ONLY);
  }

  /** Everything in the file; read before the first append. */
  read(): Uint8Array {
    const bytes = new Uint8Array(fstatSync(this.#file).size);
    let at = 0;
    while (at < bytes.length) {
      const count = readSync(this.#file, bytes, at, bytes.length - at, at);
      if (count === 0) break;
      at += count;
    }
    return bytes.subarray(0, at);
  }

  append(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) at += writeSync(this.#file, bytes, at, bytes.length - at);
  }

  sync(): void {
    fdatasyncSync(this.#file);
  }

  reset(): void {
    this.truncate(0);
  }

  /** What is kept is on disk afterwards, also what was only in memory when the process died. */
  truncate(length: number): void {
    ftruncateSync(this.#file, length);
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}
