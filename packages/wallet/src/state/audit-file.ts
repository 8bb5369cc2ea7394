/**
 * The audit file: a line for each payment before it leaves, and a line for what became of it. Lines are only appended. A
 * line is JSON that begins with its number and the SHA-256 of the line before, so that a line that was changed,
 * removed or put in shows, unless everything after it was written anew as well. It ends with a checksum, which shows corruption of
 * the last line too.
 */
import { hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import type { Clock, Log } from 'svc-base/pure';
import { checkSecret, createSecret } from '../file/secret-file.ts';
import { withoutSum, withSum } from '../file/summed-json.ts';
import type { AuditEntry, OutboxEntry } from './audit-outbox.ts';
import { LastingFailure } from './lasting-failure.ts';
import type { State } from './open-state.ts';

export interface AuditLine extends AuditEntry {
  readonly sequence: number;
  /** SHA-256 of the line before, in hexadecimal; null for the first line of a file. */
  readonly previous: string | null;
  /** When the line was written. */
  readonly at_millis: number;
}

/** What is known of a file up to a line. */
interface AuditHead {
  readonly sequence: number;
  readonly digest: string;
}

interface AuditReading {
  readonly lines: number;
  readonly firstSequence: number | null;
  readonly head: AuditHead | null;
  /** The first line that does not follow from the one before, and why; null if all do. */
  readonly fault: { readonly line: number; readonly reason: string } | null;
}

const ENTRIES_AT_ONCE = 256;
/** A payment has at most a few recipients; a longer line is none of this file. */
const LINE_BYTES_MAX = 1 << 20;

export function auditPath(walletPath: string): string {
  return `${walletPath}.audit`;
}

interface AuditFilePorts {
  readonly path: string;
  readonly state: State;
  readonly clock: Clock;
  readonly log: Log;
}

export class AuditFile {
  readonly #path: string;
  readonly #state: State;
  readonly #clock: Clock;
  #file: LineFile | undefined;
  #head: AuditHead | null = null;
  readonly #failure = new LastingFailure();

  /** The file is made with its first line. */
  constructor({ clock, log, path, state }: AuditFilePorts) {
    this.#path = path;
    this.#state = state;
    this.#clock = clock;
    if (existsSync(path)) this.#file = this.#open();
    const written = this.#head?.sequence ?? 0;
    const { auditOutbox } = state;
    const first = auditOutbox.after(0, 1)[0]?.sequence ?? auditOutbox.last() + 1;
    if (written + 1 < first) {
      log.error(
        { file: path, expected: first - 1, found: written },
        'lines of the audit file are gone',
      );
    }
    if (auditOutbox.last() < written) auditOutbox.raise(written);
  }

  /** Appends what the file lacks; it is on the disk when this returns. A failure is fatal. */
  sync(): void {
    const { auditOutbox, database } = this.#state;
    this.#failure.guard(() => {
      const upTo = auditOutbox.last();
      database.flushNow();
      if (this.#write(upTo)) this.#file?.flushNow();
      database.lazilyOne(() => auditOutbox.removeUpTo(upTo));
    });
  }

  /** The number of the newest entry that the file is to have. */
  mark(): number {
    return this.#state.auditOutbox.last();
  }

  /**
   * Appends what the file lacks up to a number; the entries must be on the disk by now. Resolves when they are on the
   * disk in the file too. A failure is fatal.
   */
  async syncUpTo(sequence: number): Promise<void> {
    const { auditOutbox, database } = this.#state;
    await this.#failure.guardAsync(async () => {
      this.#write(sequence);
      await this.#file?.flush();
    });
    if (database.isOpen) database.lazilyOne(() => auditOutbox.removeUpTo(sequence));
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  /** Writes the entries up to a number that the file lacks, without a sync. Answers whether the file lacked any. */
  #write(upTo: number): boolean {
    let isWritten = false;
    for (;;) {
      const written = this.#head?.sequence ?? 0;
      if (written >= upTo) return isWritten;
      const entries = this.#state.auditOutbox
        .after(written, ENTRIES_AT_ONCE)
        .filter(({ sequence }) => sequence <= upTo);
      if (entries.length === 0) return isWritten;
      this.#append(entries);
      isWritten = true;
    }
  }

  #append(entries: readonly OutboxEntry[]): void {
    if (this.#file === undefined) {
      createSecret(this.#path, new Uint8Array(0));
      this.#file = this.#open();
    }
    let text = '';
    for (const { data, sequence } of entries) {
      const previous = this.#head?.digest ?? null;
      const beginning = JSON.stringify({ sequence, previous, at_millis: this.#clock.now() });
      // The entry is an object with fields, as JSON: its fields come after those of the line.
      const line = withSum(`${beginning.slice(0, -1)},${data.slice(1)}`);
      this.#head = { sequence, digest: digestOf(line) };
      text += `${line}\n`;
    }
    this.#file.write(text);
  }

  #open(): LineFile {
    checkSecret(this.#path);
    const file = new LineFile(this.#path);
    if (file.last !== undefined) {
      const { sequence } = parseLine(file.last) ?? { sequence: this.#state.auditOutbox.last() };
      this.#head = { sequence, digest: digestOf(file.last) };
    }
    return file;
  }
}

/**
 * Reads a file from its beginning, line by line, and checks that each follows from the one before. A line without an end
 * is being written or was torn, and is left out.
 */
export function readAudit(path: string, onLine: (line: AuditLine) => void): AuditReading {
  checkSecret(path);
  const chain = new Chain(onLine);
  for (const line of readLines(path, LINE_BYTES_MAX)) chain.add(line);
  return chain.reading();
}

class Chain {
  readonly #onLine: (line: AuditLine) => void;
  #lines = 0;
  #first: number | null = null;
  #head: AuditHead | null = null;
  #fault: AuditReading['fault'] = null;

  constructor(onLine: (line: AuditLine) => void) {
    this.#onLine = onLine;
  }

  add(text: string): void {
    this.#lines++;
    const line = parseLine(text);
    if (line === undefined) {
      this.#blame('it is no line of an audit file');
      return;
    }
    const before = this.#head;
    const isFirst = before === null;
    if (isFirst) this.#first = line.sequence;
    if (line.previous !== (before?.digest ?? null)) this.#blame('the line before is another');
    else if (!isFirst && line.sequence !== before.sequence + 1) this.#blame('numbers are missing');
    this.#head = { sequence: line.sequence, digest: digestOf(text) };
    this.#onLine(line);
  }

  reading(): AuditReading {
    return { lines: this.#lines, firstSequence: this.#first, head: this.#head, fault: this.#fault };
  }

  #blame(reason: string): void {
    this.#fault ??= { line: this.#lines, reason };
  }
}

function parseLine(text: string): AuditLine | undefined {
  try {
    const json = withoutSum(text);
    if (json === undefined) return undefined;
    const line = JSON.parse(json) as AuditLine | null;
    return typeof line === 'object' && Number.isSafeInteger(line?.sequence) && line !== null
      ? line
      : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(line: string): string {
  return hash('sha256', line, 'hex');
}

const syncData = promisify(fdatasync);

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 10;

class LineFile {
  /** The last whole line when the file was opened; undefined if it had none. */
  readonly last: string | undefined;
  readonly #descriptor: number;
  #isOpen = true;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r+');
    this.last = this.#cutTornLine();
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

/** Every whole line of a file that may be written to meanwhile. A line that is too long is given as far as it was read, as the last. */
function* readLines(path: string, bytesMax: number): Generator<string, void> {
  const file = openSync(path, 'r');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  try {
    for (let at = 0; rest.length <= bytesMax; ) {
      const count = readSync(file, chunk, 0, CHUNK_BYTES, at);
      if (count === 0) return;
      at += count;
      rest = Buffer.concat([rest, chunk.subarray(0, count)]);
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
        yield rest.subarray(0, end).toString('utf8');
        rest = rest.subarray(end + 1);
      }
    }
    yield rest.toString('utf8');
  } finally {
    closeSync(file);
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
