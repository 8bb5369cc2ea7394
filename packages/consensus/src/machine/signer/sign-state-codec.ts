/**
 * The bytes of a sign state: `magic u32 | version u32 | key id [48] | silent through u64 |
 * stopped u8 | present u8 | height u64 | round u32 | step u8 | count u32, signed bytes |
 * count u32, signature | crc u32`, little-endian. Anything else is refused as damaged.
 */
import { crc32 } from 'svc-base/pure';
import type { Height, Round } from '../base/types.ts';
import type { SignState, SignStep } from './sign-state.ts';

const MAGIC = 0x5453_5653;
const VERSION = 1;
export const KEY_ID_BYTES = 48;
const FIXED_BYTES = 4 + 4 + KEY_ID_BYTES + 8 + 1 + 1;
const LAST_FIXED_BYTES = 8 + 4 + 1 + 4 + 4;
const CRC_BYTES = 4;
/** The number of values of four bytes. */
const HALF = 0x1_0000_0000;
export const SIGN_STATE_BYTES_MAX = 8192;

export function encodeSignState(state: SignState): Uint8Array {
  const { keyId, last } = state;
  if (keyId.length !== KEY_ID_BYTES) throw new RangeError(`a key id has ${KEY_ID_BYTES} bytes`);
  const lastBytes =
    last === undefined ? 0 : LAST_FIXED_BYTES + last.signedBytes.length + last.signature.length;
  const bytes = new Uint8Array(FIXED_BYTES + lastBytes + CRC_BYTES);
  writeU32(bytes, 0, MAGIC);
  writeU32(bytes, 4, VERSION);
  bytes.set(keyId, 8);
  writeHeight(bytes, 56, state.silentThrough);
  bytes[64] = state.stopped ? 1 : 0;
  bytes[65] = last === undefined ? 0 : 1;
  if (last !== undefined) {
    writeHeight(bytes, 66, last.height);
    writeU32(bytes, 74, last.round);
    bytes[78] = last.step;
    writeU32(bytes, 79, last.signedBytes.length);
    bytes.set(last.signedBytes, 83);
    const at = 83 + last.signedBytes.length;
    writeU32(bytes, at, last.signature.length);
    bytes.set(last.signature, at + 4);
  }
  const end = bytes.length - CRC_BYTES;
  writeU32(bytes, end, crc32(bytes, 0, end));
  return bytes;
}

function writeU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

/** Eight bytes; heights are safe integers. */
function writeHeight(bytes: Uint8Array, at: number, height: Height): void {
  writeU32(bytes, at, height % HALF);
  writeU32(bytes, at + 4, Math.floor(height / HALF));
}

function readU32(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  const high = (bytes[at + 2] as number) | ((bytes[at + 3] as number) << 8);
  return low + high * 0x1_0000;
}

/** The record, or `undefined` if the bytes are not one whole intact record. */
export function decodeSignState(bytes: Uint8Array): SignState | undefined {
  if (bytes.length < FIXED_BYTES + CRC_BYTES || bytes.length > SIGN_STATE_BYTES_MAX)
    return undefined;
  const end = bytes.length - CRC_BYTES;
  if (readU32(bytes, 0) !== MAGIC || readU32(bytes, 4) !== VERSION) return undefined;
  if (readU32(bytes, end) !== crc32(bytes, 0, end)) return undefined;
  const silentThrough = readHeight(bytes, 56);
  const stopped = bytes[64] as number;
  const present = bytes[65] as number;
  if (silentThrough === undefined || stopped > 1 || present > 1) return undefined;
  const head = { keyId: bytes.slice(8, 56), silentThrough, stopped: stopped === 1 };
  if (present === 0) return end === FIXED_BYTES ? { ...head, last: undefined } : undefined;
  const last = decodeLast(bytes, end);
  return last === undefined ? undefined : { ...head, last };
}

function decodeLast(bytes: Uint8Array, end: number): SignState['last'] {
  if (end < FIXED_BYTES + LAST_FIXED_BYTES) return undefined;
  const height = readHeight(bytes, 66);
  const round = readU32(bytes, 74);
  const step = bytes[78] as number;
  const signedLength = readU32(bytes, 79);
  const at = 83 + signedLength;
  if (height === undefined || round > 0x7fff_ffff || step > 2 || at + 4 > end) return undefined;
  if (at + 4 + readU32(bytes, at) !== end) return undefined;
  return {
    height,
    round: round as Round,
    step: step as SignStep,
    signedBytes: bytes.slice(83, at),
    signature: bytes.slice(at + 4, end),
  };
}

function readHeight(bytes: Uint8Array, at: number): Height | undefined {
  const high = readU32(bytes, at + 4);
  const height = high * HALF + readU32(bytes, at);
  return Number.isSafeInteger(height) ? (height as Height) : undefined;
}
