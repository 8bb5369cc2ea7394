/**
 * A file of lines that only grows. A line is whole once its end is there: one that a crash has torn is cut off when the
 * file is opened, because whoever writes lets nothing leave the wallet before the line is on the disk.
 */
import {
  closeSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';

const syncData = promisify(fdatasync);

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 10;

export class LineFile {
  /** The last whole line when the file was opened; undefined if it had none. */
  readonly last: string | undefined;
  readonly #descriptor: number;
  #isOpen = true;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r+');
    this.last = this.#cutTornLine();
  }

  /** Every whole line, oldest first. */
  lines(): Generator<string, void> {
    return linesOf(this.#file);
  }

  /** Appends lines, each with its end; they are on the disk after the next `flush` or `flushNow`. */
  write(text: string): void {
    const bytes = Buffer.from(text);
    let end = fstatSync(this.#file).size;
    for (let at = 0; at < bytes.length; ) {
      const count = writeSync(this.#file, bytes, at, bytes.length - at, end);
      at += count;
      end += count;
    }
  }

  flushNow(): void {
    fsyncSync(this.#file);
  }

  /** Resolves when everything that was written before the call is on the disk. */
  async flush(): Promise<void> {
    await syncData(this.#file);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#descriptor);
  }

  /** The system gives the number of a closed file to the next one, so that nothing may be written to it. */
  get #file(): number {
    if (this.#isOpen) return this.#descriptor;
    throw new Error('the file is closed');
  }

  #cutTornLine(): string | undefined {
    const { size } = fstatSync(this.#file);
    let tail = Buffer.alloc(0);
    let start = size;
    while (start > 0 && !hasWholeLine(tail)) {
      const length = Math.min(CHUNK_BYTES, start);
      start -= length;
      const chunk = Buffer.alloc(length);
      readSync(this.#file, chunk, 0, length, start);
      tail = Buffer.concat([chunk, tail]);
    }
    const end = tail.lastIndexOf(NEWLINE);
    if (start + end + 1 < size) ftruncateSync(this.#file, start + end + 1);
    if (end < 0) return undefined;
    return tail.subarray(lineBefore(tail, end), end).toString('utf8');
  }
}

/** Reads a file that somebody else may be writing: every whole line, as `linesOf` gives them. */
export function* readLines(path: string, bytesMax: number): Generator<string, void> {
  const file = openSync(path, 'r');
  try {
    yield* linesOf(file, bytesMax);
  } finally {
    closeSync(file);
  }
}

/** A line that is longer than allowed is given as far as it was read, and is the last. */
function* linesOf(file: number, bytesMax = Number.POSITIVE_INFINITY): Generator<string, void> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  for (let at = 0; ; ) {
    const count = readSync(file, chunk, 0, CHUNK_BYTES, at);
    if (count === 0) return;
    at += count;
    rest = Buffer.concat([rest, chunk.subarray(0, count)]);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      yield rest.subarray(0, end).toString('utf8');
      rest = rest.subarray(end + 1);
    }
    if (rest.length > bytesMax) {
      yield rest.toString('utf8');
      return;
    }
  }
}

/** Whether the bytes hold a line from its beginning to its end. */
function hasWholeLine(tail: Buffer): boolean {
  const end = tail.lastIndexOf(NEWLINE);
  return end > 0 && lineBefore(tail, end) > 0;
}

/** Where the line that ends there begins, as far as the bytes show. */
function lineBefore(tail: Buffer, end: number): number {
  return end === 0 ? 0 : tail.lastIndexOf(NEWLINE, end - 1) + 1;
}
