/**
 * One record of the log of inputs: `magic u32 | sequence u32 | synced u32 | length u32 | crc u32 | payload`,
 * little-endian. `synced` is the number of records that were on disk when this one was written: it distinguishes a
 * torn write from a corrupt record.
 */
import { crc32 } from './crc32.ts';

export const WAL_MAGIC = 0x4c41_5653;
export const WAL_HEADER_BYTES = 20;
export const WAL_PAYLOAD_BYTES_MAX = 1 << 20;

export interface WalRecord {
  readonly sequence: number;
  readonly synced: number;
  readonly payload: Uint8Array;
}

export function encodeRecord({ sequence, synced, payload }: WalRecord): Uint8Array {
  if (payload.length > WAL_PAYLOAD_BYTES_MAX)
    throw new RangeError(`a record holds at most ${WAL_PAYLOAD_BYTES_MAX} bytes`);
  const bytes = new Uint8Array(WAL_HEADER_BYTES + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, WAL_MAGIC, true);
  view.setUint32(4, sequence, true);
  view.setUint32(8, synced, true);
  view.setUint32(12, payload.length, true);
  bytes.set(payload, WAL_HEADER_BYTES);
  view.setUint32(16, checksum(bytes, 0, payload.length), true);
  return bytes;
}

/** The record that starts at `at`, or `undefined` if no whole and intact record does. */
export function decodeRecord(bytes: Uint8Array, at: number): WalRecord | undefined {
  if (at + WAL_HEADER_BYTES > bytes.length) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(at, true) !== WAL_MAGIC) return undefined;
  const length = view.getUint32(at + 12, true);
  if (length > WAL_PAYLOAD_BYTES_MAX || at + WAL_HEADER_BYTES + length > bytes.length)
    return undefined;
  if (view.getUint32(at + 16, true) !== checksum(bytes, at, length)) return undefined;
  const start = at + WAL_HEADER_BYTES;
  return {
    sequence: view.getUint32(at + 4, true),
    synced: view.getUint32(at + 8, true),
    payload: bytes.slice(start, start + length),
  };
}

/** Covers the sequence, the synced count, the length and the payload. */
function checksum(bytes: Uint8Array, at: number, length: number): number {
  const start = at + WAL_HEADER_BYTES;
  return (crc32(bytes, at + 4, at + 16) ^ crc32(bytes, start, start + length)) >>> 0;
}
