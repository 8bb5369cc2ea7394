/**
 * The bytes of a sign state: `magic u32 | version u32 | key id [48] | silent through u64 |
 * stopped u8 | present u8 | height u64 | round u32 | step u8 | count u32, signed bytes |
 * count u32, signature | crc u32`, little-endian. Anything else is refused as damaged.
 */
import type { Height, Round } from '../base/types.ts';
import { crc32 } from '../wal/crc32.ts';
import type { SignState, SignStep } from './sign-state.ts';

const MAGIC = 0x5453_5653;
const VERSION = 1;
export const KEY_ID_BYTES = 48;
const FIXED_BYTES = 4 + 4 + KEY_ID_BYTES + 8 + 1 + 1;
const LAST_FIXED_BYTES = 8 + 4 + 1 + 4 + 4;
const CRC_BYTES = 4;
export const SIGN_STATE_BYTES_MAX = 8192;

export function encodeSignState(state: SignState): Uint8Array {
  const { keyId, last } = state;
  if (keyId.length !== KEY_ID_BYTES) throw new RangeError(`a key id has ${KEY_ID_BYTES} bytes`);
  const lastBytes =
    last === undefined ? 0 : LAST_FIXED_BYTES + last.signedBytes.length + last.signature.length;
  const bytes = new Uint8Array(FIXED_BYTES + lastBytes + CRC_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, VERSION, true);
  bytes.set(keyId, 8);
  view.setBigUint64(56, BigInt(state.silentThrough), true);
  view.setUint8(64, state.stopped ? 1 : 0);
  view.setUint8(65, last === undefined ? 0 : 1);
  if (last !== undefined) {
    view.setBigUint64(66, BigInt(last.height), true);
    view.setUint32(74, last.round, true);
    view.setUint8(78, last.step);
    view.setUint32(79, last.signedBytes.length, true);
    bytes.set(last.signedBytes, 83);
    const at = 83 + last.signedBytes.length;
    view.setUint32(at, last.signature.length, true);
    bytes.set(last.signature, at + 4);
  }
  const end = bytes.length - CRC_BYTES;
  view.setUint32(end, crc32(bytes, 0, end), true);
  return bytes;
}

/** The record, or `undefined` if the bytes are not one whole intact record. */
export function decodeSignState(bytes: Uint8Array): SignState | undefined {
  if (bytes.length < FIXED_BYTES + CRC_BYTES || bytes.length > SIGN_STATE_BYTES_MAX)
    return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - CRC_BYTES;
  if (view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== VERSION) return undefined;
  if (view.getUint32(end, true) !== crc32(bytes, 0, end)) return undefined;
  const silentThrough = safeHeight(view.getBigUint64(56, true));
  const stopped = view.getUint8(64);
  const present = view.getUint8(65);
  if (silentThrough === undefined || stopped > 1 || present > 1) return undefined;
  const head = { keyId: bytes.slice(8, 56), silentThrough, stopped: stopped === 1 };
  if (present === 0) return end === FIXED_BYTES ? { ...head, last: undefined } : undefined;
  const last = decodeLast(bytes, view, end);
  return last === undefined ? undefined : { ...head, last };
}

function decodeLast(bytes: Uint8Array, view: DataView, end: number): SignState['last'] {
  if (end < FIXED_BYTES + LAST_FIXED_BYTES) return undefined;
  const height = safeHeight(view.getBigUint64(66, true));
  const round = view.getUint32(74, true);
  const step = view.getUint8(78);
  const signedLength = view.getUint32(79, true);
  const at = 83 + signedLength;
  if (height === undefined || round > 0x7fff_ffff || step > 2 || at + 4 > end) return undefined;
  if (at + 4 + view.getUint32(at, true) !== end) return undefined;
  return {
    height,
    round: round as Round,
    step: step as SignStep,
    signedBytes: bytes.slice(83, at),
    signature: bytes.slice(at + 4, end),
  };
}

function safeHeight(value: bigint): Height | undefined {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? (Number(value) as Height) : undefined;
}
