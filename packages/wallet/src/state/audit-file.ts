/**
 * The audit file: a line for each payment before it leaves, and a line for what became of it. Lines are only appended. A
 * line is JSON that begins with its number and the SHA-256 of the line before, so that a line that was changed,
 * removed or put in shows, unless everything after it was written anew as well.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import type { Clock, Log } from 'svc-base/pure';
import { checkSecret, createSecret } from '../file/secret-file.ts';
import type { AuditEntry, OutboxEntry } from './audit-outbox.ts';
import type { State } from './open-state.ts';

export interface AuditLine extends AuditEntry {
  readonly sequence: number;
  /** SHA-256 of the line before, in hexadecimal; null for the first line of a file. */
  readonly previous: string | null;
  /** When the line was written. */
  readonly at_millis: number;
}

/** What is known of a file up to a line. */
export interface AuditHead {
  readonly sequence: number;
  readonly digest: string;
}

export interface AuditReading {
  readonly lines: number;
  readonly firstSequence: number | null;
  readonly head: AuditHead | null;
  /** The first line that does not follow from the one before, and why; null if all do. */
  readonly fault: { readonly line: number; readonly reason: string } | null;
}

const ENTRIES_AT_ONCE = 256;
const CHUNK_BYTES = 1 << 20;
/** A payment has at most a few recipients; a longer line is none of this file. */
const LINE_BYTES_MAX = 1 << 20;
const NEWLINE = 10;

export function auditPath(walletPath: string): string {
  return `${walletPath}.audit`;
}

export interface AuditFilePorts {
  readonly path: string;
  readonly state: State;
  readonly clock: Clock;
  readonly log: Log;
}

export class AuditFile {
  readonly #path: string;
  readonly #state: State;
  readonly #clock: Clock;
  #file: number | undefined;
  #head: AuditHead | null = null;
  #failure: unknown;

  /** The file is made with its first line. */
  constructor({ clock, log, path, state }: AuditFilePorts) {
    this.#path = path;
    this.#state = state;
    this.#clock = clock;
    if (existsSync(path)) this.#open();
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
    if (this.#failure !== undefined) throw this.#failure;
    try {
      this.#sync();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #sync(): void {
    const { auditOutbox } = this.#state;
    for (;;) {
      const entries = auditOutbox.after(0, ENTRIES_AT_ONCE);
      if (entries.length === 0) return;
      const written = this.#head?.sequence ?? 0;
      this.#append(entries.filter(({ sequence }) => sequence > written));
      auditOutbox.removeUpTo(entries.at(-1)?.sequence ?? 0);
    }
  }

  #append(entries: readonly OutboxEntry[]): void {
    if (entries.length === 0) return;
    if (this.#file === undefined) {
      createSecret(this.#path, new Uint8Array(0));
      this.#open();
    }
    const file = this.#file as number;
    let text = '';
    for (const { data, sequence } of entries) {
      const previous = this.#head?.digest ?? null;
      const line = JSON.stringify({
        ...{ sequence, previous, at_millis: this.#clock.now() },
        ...(JSON.parse(data) as AuditEntry),
      });
      this.#head = { sequence, digest: digestOf(line) };
      text += `${line}\n`;
    }
    const bytes = Buffer.from(text);
    let end = fstatSync(file).size;
    for (let at = 0; at < bytes.length; ) {
      const count = writeSync(file, bytes, at, bytes.length - at, end);
      at += count;
      end += count;
    }
    fsyncSync(file);
  }

  /** Finds the last whole line. One that a crash has torn is cut off: nothing had left the wallet by then. */
  #open(): void {
    checkSecret(this.#path);
    const file = openSync(this.#path, 'r+');
    this.#file = file;
    const { size } = fstatSync(file);
    let tail = Buffer.alloc(0);
    let start = size;
    while (start > 0 && !hasWholeLine(tail)) {
      const length = Math.min(CHUNK_BYTES, start);
      start -= length;
      const chunk = Buffer.alloc(length);
      readSync(file, chunk, 0, length, start);
      tail = Buffer.concat([chunk, tail]);
    }
    const end = tail.lastIndexOf(NEWLINE);
    if (start + end + 1 < size) ftruncateSync(file, start + end + 1);
    if (end < 0) return;
    const text = tail.subarray(tail.lastIndexOf(NEWLINE, end - 1) + 1, end).toString('utf8');
    const { sequence } = parseLine(text) ?? { sequence: this.#state.auditOutbox.last() };
    this.#head = { sequence, digest: digestOf(text) };
  }
}

/** Whether the bytes hold a line from its beginning to its end. */
function hasWholeLine(tail: Buffer): boolean {
  const end = tail.lastIndexOf(NEWLINE);
  return end > 0 && tail.lastIndexOf(NEWLINE, end - 1) >= 0;
}

/**
 * Reads a file from its beginning, line by line, and checks that each follows from the one before. A line without an end
 * is being written or was torn, and is left out.
 */
export function readAudit(path: string, onLine: (line: AuditLine) => void): AuditReading {
  checkSecret(path);
  const file = openSync(path, 'r');
  const chain = new Chain(onLine);
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  try {
    for (let at = 0; ; ) {
      const count = readSync(file, chunk, 0, CHUNK_BYTES, at);
      if (count === 0 || rest.length > LINE_BYTES_MAX) return chain.reading();
      at += count;
      rest = Buffer.concat([rest, chunk.subarray(0, count)]);
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
        chain.add(rest.subarray(0, end).toString('utf8'));
        rest = rest.subarray(end + 1);
      }
    }
  } finally {
    closeSync(file);
  }
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
    const line = JSON.parse(text) as AuditLine | null;
    return typeof line === 'object' && Number.isSafeInteger(line?.sequence) && line !== null
      ? line
      : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}
