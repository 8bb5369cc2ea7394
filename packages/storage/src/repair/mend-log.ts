/**
 * Turns back single bits in a log file of the engine, wherever they are: in a record, in its checksum, in its kind or
 * in its length. What cannot be mended stays as it is.
 */
import { crc32c, unmasked } from '../open/crc32c.ts';
import { BLOCK_BYTES, HEADER_BYTES } from '../open/level-log.ts';
import { CASTAGNOLI, turnedBit } from './mend-one-bit.ts';

/** Bits of checksum and length; the checksum covers everything after them. */
const UNCOVERED_BITS = 48;
const KIND_AT = 6;

/** Returns the bytes with what could be mended, and how many bits were turned. */
export function mendLog(original: Uint8Array): { bytes: Buffer; mended: number } {
  const bytes = Buffer.from(original);
  let mended = 0;
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const left = BLOCK_BYTES - (at % BLOCK_BYTES);
    const limit = Math.min(at + left, bytes.length);
    if (left < HEADER_BYTES || isEmpty(bytes, at)) {
      at += left;
      continue;
    }
    if (!isSound(bytes, at, limit)) {
      if (!mendPiece(bytes, at, limit)) return { bytes, mended };
      mended++;
    }
    at += HEADER_BYTES + bytes.readUInt16LE(at + 4);
  }
  return { bytes, mended };
}

function isEmpty(bytes: Buffer, at: number): boolean {
  return bytes.readUInt32LE(at) === 0 && bytes.readUInt16LE(at + 4) === 0;
}

function isSound(bytes: Buffer, at: number, limit: number): boolean {
  const end = at + HEADER_BYTES + bytes.readUInt16LE(at + 4);
  return end <= limit && unmasked(bytes.readUInt32LE(at)) === crc32c(bytes, at + KIND_AT, end);
}

function mendPiece(bytes: Buffer, at: number, limit: number): boolean {
  for (let bit = 0; bit < UNCOVERED_BITS; bit++) {
    turn(bytes, at, bit);
    if (isSound(bytes, at, limit)) return true;
    turn(bytes, at, bit);
  }
  const end = at + HEADER_BYTES + bytes.readUInt16LE(at + 4);
  if (end > limit) return false;
  const difference = unmasked(bytes.readUInt32LE(at)) ^ crc32c(bytes, at + KIND_AT, end);
  const covered = end - at - KIND_AT;
  const bit = turnedBit(covered, difference, CASTAGNOLI);
  if (bit === undefined || bit >= 8 * covered) return false;
  turn(bytes, at + KIND_AT, bit);
  return true;
}

function turn(bytes: Buffer, at: number, bit: number): void {
  const place = at + (bit >> 3);
  bytes[place] = (bytes[place] as number) ^ (1 << (bit & 7));
}
