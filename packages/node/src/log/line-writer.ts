/**
 * Writes lines to an open file before the call returns: whatever ends the process, they are there, and in
 * their order. A place that takes no more loses lines; it never stops or delays the node for long.
 */
import { closeSync, writeSync } from 'node:fs';

const WAITS_MAX = 20;
const WAIT_MILLIS = 10;
const NEVER = new Int32Array(new SharedArrayBuffer(4));

export class LineWriter {
  readonly #file: number;
  /** The last line was not written whole. */
  #isTorn = false;
  /** The reader did not take the last line in time; the next ones are tried once each. */
  #isStuck = false;

  constructor(file: number) {
    this.#file = file;
  }

  write(line: string): void {
    const bytes = Buffer.from(this.#isTorn ? `\n${line}` : line);
    const written = this.#put(bytes);
    this.#isTorn = written > 0 ? written < bytes.length : this.#isTorn;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** How many bytes were taken. */
  #put(bytes: Uint8Array): number {
    let at = 0;
    let waits = this.#isStuck ? WAITS_MAX : 0;
    while (at < bytes.length) {
      try {
        at += writeSync(this.#file, bytes, at);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return at;
        if (waits++ >= WAITS_MAX) {
          this.#isStuck = true;
          return at;
        }
        Atomics.wait(NEVER, 0, 0, WAIT_MILLIS);
      }
    }
    this.#isStuck = false;
    return at;
  }
}
