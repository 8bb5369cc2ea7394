/**
 * One record of an append-only log: `magic u32 | sequence u32 | synced u32 | length u32 | crc u32 | payload`,
 * little-endian. `synced` is how many records were on the disk when this one was written: it distinguishes a torn write
 * from a corrupt record. A file begins with a header record that names the kind of the log and its version.
 */
import { crc32 } from './crc32.ts';

export const LOG_MAGIC = 0x4c41_5653;
export const RECORD_HEAD_BYTES = 20;
export const PAYLOAD_BYTES_MAX = 1 << 20;
/** No record of a log has this number. */
const HEADER_SEQUENCE = 0xffff_ffff;
const VERSION = 1;

export interface LogRecord {
  readonly sequence: number;
  readonly synced: number;
  readonly payload: Uint8Array;
}

export function encodeRecord({ sequence, synced, payload }: LogRecord): Uint8Array {
  if (payload.length > PAYLOAD_BYTES_MAX)
    throw new RangeError(`a record holds at most ${PAYLOAD_BYTES_MAX} bytes`);
  const bytes = new Uint8Array(RECORD_HEAD_BYTES + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, LOG_MAGIC, true);
  view.setUint32(4, sequence, true);
  view.setUint32(8, synced, true);
  view.setUint32(12, payload.length, true);
  bytes.set(payload, RECORD_HEAD_BYTES);
  view.setUint32(16, checksum(bytes, 0, payload.length), true);
  return bytes;
}

/** The record that starts at `at`, or `undefined` if no whole and intact record does. */
export function decodeRecord(bytes: Uint8Array, at: number): LogRecord | undefined {
  if (at + RECORD_HEAD_BYTES > bytes.length) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(at, true) !== LOG_MAGIC) return undefined;
  const length = view.getUint32(at + 12, true);
  if (length > PAYLOAD_BYTES_MAX || at + RECORD_HEAD_BYTES + length > bytes.length)
    return undefined;
  if (view.getUint32(at + 16, true) !== checksum(bytes, at, length)) return undefined;
  const start = at + RECORD_HEAD_BYTES;
  return {
    sequence: view.getUint32(at + 4, true),
    synced: view.getUint32(at + 8, true),
    payload: bytes.slice(start, start + length),
  };
}

/** The header of a file: a record whose payload is a line such as `svc mempool journal 1`. */
export function encodeHeader(kind: string): Uint8Array {
  const payload = new TextEncoder().encode(`svc ${kind} ${VERSION}\n`);
  return encodeRecord({ sequence: HEADER_SEQUENCE, synced: 0, payload });
}

/** The header that a log begins with; undefined if it begins with none, as logs in memory do. */
export function decodeHeader(bytes: Uint8Array): LogRecord | undefined {
  const record = decodeRecord(bytes, 0);
  return record?.sequence === HEADER_SEQUENCE ? record : undefined;
}

/** Covers the sequence, the synced count, the length and the payload. */
function checksum(bytes: Uint8Array, at: number, length: number): number {
  const start = at + RECORD_HEAD_BYTES;
  return (crc32(bytes, at + 4, at + 16) ^ crc32(bytes, start, start + length)) >>> 0;
}
