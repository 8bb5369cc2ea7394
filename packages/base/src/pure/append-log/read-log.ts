/**
 * Reading a log after a crash. A bad end is a write that never finished: nothing was sent after it, so it is cut off. A
 * bad record before an intact one is damage. `readLog` refuses a log that lost a record which a later one counts as
 * synced: others may have seen its content. `scanLog` skips damage and reports it, for logs whose records stand alone.
 */
import {
  decodeHeader,
  decodeRecord,
  LOG_MAGIC,
  type LogRecord,
  PAYLOAD_BYTES_MAX,
  RECORD_HEAD_BYTES,
} from './record.ts';

export type LogReading =
  | {
      readonly type: 'read';
      readonly records: readonly LogRecord[];
      /** The file is to be cut to this length before anything is appended. */
      readonly intactBytes: number;
      readonly droppedBytes: number;
    }
  | {
      readonly type: 'refused';
      readonly reason: 'rotten_record' | 'wrong_sequence';
      /** Where the lost record begins, and its number. */
      readonly offset: number;
      readonly sequence: number;
    };

/** A record, or bytes that are none. */
export type LogPart =
  | {
      readonly type: 'record';
      readonly at: number;
      readonly end: number;
      readonly record: LogRecord;
    }
  /** Followed by an intact record, or complete by its own length. */
  | { readonly type: 'damage'; readonly at: number; readonly end: number }
  /** The last write, which a crash cut short. */
  | { readonly type: 'torn'; readonly at: number; readonly end: number };

/** Bytes of a file; `read` returns fewer than asked for only at the end. */
export interface LogSource {
  readonly size: number;
  read(at: number, length: number): Uint8Array;
}

const RECORD_BYTES_MAX = RECORD_HEAD_BYTES + PAYLOAD_BYTES_MAX;
const WINDOW_BYTES = 4 * RECORD_BYTES_MAX;
const FIRST_BYTE = LOG_MAGIC & 0xff;

export function readLog(bytes: Uint8Array): LogReading {
  const records: LogRecord[] = [];
  const header = decodeHeader(bytes);
  let at = header === undefined ? 0 : RECORD_HEAD_BYTES + header.payload.length;
  while (at < bytes.length) {
    const record = decodeRecord(bytes, at);
    if (record === undefined) break;
    if (record.sequence !== records.length)
      return { type: 'refused', reason: 'wrong_sequence', offset: at, sequence: records.length };
    records.push(record);
    at += RECORD_HEAD_BYTES + record.payload.length;
  }
  const later = at < bytes.length ? findLaterRecord(bytes, at + 1, records.length) : undefined;
  if (later !== undefined && later.synced > records.length)
    return { type: 'refused', reason: 'rotten_record', offset: at, sequence: records.length };
  return { type: 'read', records, intactBytes: at, droppedBytes: bytes.length - at };
}

/** The intact record after the damage with the largest count of synced records. */
function findLaterRecord(bytes: Uint8Array, from: number, lost: number): LogRecord | undefined {
  let best: LogRecord | undefined;
  for (let at = from; at + RECORD_HEAD_BYTES <= bytes.length; at++) {
    const record = decodeRecord(bytes, at);
    if (record === undefined || record.sequence <= lost) continue;
    if (best === undefined || record.synced > best.synced) best = record;
  }
  return best;
}

/** Every part of a log from an offset on, in order; the file is read in pieces. */
export function* scanLog(source: LogSource, from = 0): Generator<LogPart, void> {
  const window = new Window(source);
  for (let at = from; at < source.size; ) {
    const record = window.recordAt(at);
    if (record !== undefined) {
      const end = at + RECORD_HEAD_BYTES + record.payload.length;
      yield { type: 'record', at, end, record };
      at = end;
      continue;
    }
    const end = window.nextRecord(at) ?? source.size;
    const isTorn = end === source.size && (window.namedEnd(at) ?? end + 1) > end;
    yield { type: isTorn ? 'torn' : 'damage', at, end };
    at = end;
  }
}

/** The last intact record of a log and what follows it, read from the end; undefined if the last bytes have none. */
export function lastRecord(source: LogSource, from = 0): LogPart[] | undefined {
  const start = Math.max(from, source.size - WINDOW_BYTES);
  const bytes = source.read(start, source.size - start);
  for (
    let at = bytes.lastIndexOf(FIRST_BYTE);
    at >= 0;
    at = at === 0 ? -1 : bytes.lastIndexOf(FIRST_BYTE, at - 1)
  ) {
    if (decodeRecord(bytes, at) !== undefined) return [...scanLog(source, start + at)];
  }
  return undefined;
}

/** A piece of the file in which records are looked for. */
class Window {
  readonly #source: LogSource;
  #start = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(source: LogSource) {
    this.#source = source;
  }

  recordAt(at: number): LogRecord | undefined {
    this.#cover(at);
    return decodeRecord(this.#bytes, at - this.#start);
  }

  /** The end of the record at an offset, by its own length; undefined if its head is invalid. */
  namedEnd(at: number): number | undefined {
    this.#cover(at);
    const offset = at - this.#start;
    if (offset + RECORD_HEAD_BYTES > this.#bytes.length) return undefined;
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + offset);
    const length = view.getUint32(12, true);
    const isHead = view.getUint32(0, true) === LOG_MAGIC && length <= PAYLOAD_BYTES_MAX;
    return isHead ? at + RECORD_HEAD_BYTES + length : undefined;
  }

  /** The first intact record after a damaged one: at its end by its own length, or at any later byte. */
  nextRecord(damaged: number): number | undefined {
    const named = this.namedEnd(damaged);
    if (named !== undefined && this.recordAt(named) !== undefined) return named;
    for (let at = damaged + 1; at < this.#source.size; at++) {
      this.#cover(at);
      const found = this.#bytes.indexOf(FIRST_BYTE, at - this.#start);
      at = this.#start + (found < 0 ? Math.max(1, this.#bytes.length) - 1 : found);
      if (found >= 0 && this.recordAt(at) !== undefined) return at;
    }
    return undefined;
  }

  #cover(at: number): void {
    const needed = Math.min(at + RECORD_BYTES_MAX, this.#source.size);
    if (at >= this.#start && needed <= this.#start + this.#bytes.length) return;
    this.#start = at;
    this.#bytes = this.#source.read(at, WINDOW_BYTES);
  }
}
