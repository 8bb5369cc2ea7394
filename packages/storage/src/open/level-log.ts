/**
 * Reads the engine's log files, of which its manifest is one: records in blocks of 32 KiB, each piece with
 * checksum, length and type. Only whole records with right checksums are handed out.
 */
import { crc32c, unmasked } from './crc32c.ts';

export const BLOCK_BYTES = 32_768;
export const HEADER_BYTES = 7;
const FULL = 1;
const FIRST = 2;
const MIDDLE = 3;
const LAST = 4;

export interface LogContent {
  readonly records: readonly Uint8Array[];
  /** Bytes in the middle that are no records; a torn end does not count. */
  readonly damaged: boolean;
  /** Bytes after the last whole record: what a crash left of one, or a last record that has become corrupt. */
  readonly tornBytes: number;
}

export interface LogOptions {
  /** Reads nothing behind the first bytes that are no record. */
  readonly stopsAtHole?: boolean;
}

export function readLog(bytes: Uint8Array, { stopsAtHole = false }: LogOptions = {}): LogContent {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: Uint8Array[] = [];
  let pieces: Uint8Array[] = [];
  let lastGood = 0;
  let badAt = -1;
  let at = 0;
  while (at + HEADER_BYTES <= bytes.length) {
    const left = BLOCK_BYTES - (at % BLOCK_BYTES);
    if (left < HEADER_BYTES) {
      at += left;
      continue;
    }
    const length = view.getUint16(at + 4, true);
    const type = view.getUint8(at + 6);
    const end = at + HEADER_BYTES + length;
    const whole =
      type >= FULL && type <= LAST && HEADER_BYTES + length <= left && end <= bytes.length;
    if (!whole || unmasked(view.getUint32(at, true)) !== crc32c(bytes, at + 6, end)) {
      if (badAt < 0) badAt = at;
      if (stopsAtHole) break;
      at += left;
      pieces = [];
      continue;
    }
    const piece = bytes.subarray(at + HEADER_BYTES, end);
    if (type === FULL || type === FIRST) pieces = [];
    pieces.push(piece);
    if (type === FULL || type === LAST) {
      records.push(Buffer.concat(pieces));
      lastGood = end;
    }
    if (type !== FIRST && type !== MIDDLE) pieces = [];
    at = end;
  }
  const isPadding = bytes.subarray(lastGood).every((byte) => byte === 0);
  const tornBytes = isPadding ? 0 : bytes.length - lastGood;
  return { records, damaged: badAt >= 0 && lastGood > badAt, tornBytes };
}
