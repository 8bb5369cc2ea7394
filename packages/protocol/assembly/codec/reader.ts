/**
 * A cursor over bytes that come from outside; `docs/protocol.md` 1. It reads each value in its one
 * encoding or fails, and a failure sticks: later reads return 0, or a pointer that is safe to read,
 * so a decoder may read a group of fields and ask once. Only one reader is under way at a time.
 */
import { OK, PADDED_VARINT, TRAILING_BYTES, TRUNCATED, VARINT_TOO_LARGE } from '../errors';
import { IN } from '../memory';

const VARINT_BYTES_MAX: i32 = 5;

let cursor: usize = 0;
let end: usize = 0;
let failure: i32 = OK;
let countedBytes: i32 = 0;

export function readerBegin(pointer: usize, length: i32): void {
  cursor = pointer;
  end = pointer + length;
  failure = OK;
}

/** The first failure, or 0. */
export function readerError(): i32 {
  return failure;
}

/** Records a failure; the first one stays. */
export function readerFail(error: i32): void {
  if (failure == OK) failure = error;
  cursor = end;
}

/** Where the next value starts. */
export function readerAt(): usize {
  return cursor;
}

export function readerLeft(): i32 {
  return <i32>(end - cursor);
}

/** Ends the reading: nothing may follow the last field. Returns the first failure, or 0. */
export function readerEnd(): i32 {
  if (cursor != end) readerFail(TRAILING_BYTES);
  return failure;
}

/** Returns where `length` bytes are. */
export function readBytes(length: i32): usize {
  if (failure != OK || <u32>length > <u32>(end - cursor)) {
    readerFail(TRUNCATED);
    return IN;
  }
  const at = cursor;
  cursor += length;
  return at;
}

export function readU8(): u32 {
  const at = readBytes(1);
  return failure == OK ? <u32>load<u8>(at) : 0;
}

export function readU16(): u32 {
  const at = readBytes(2);
  return failure == OK ? <u32>load<u16>(at) : 0;
}

export function readU32(): u32 {
  const at = readBytes(4);
  return failure == OK ? load<u32>(at) : 0;
}

export function readI32(): i32 {
  return <i32>readU32();
}

export function readU64(): u64 {
  const at = readBytes(8);
  return failure == OK ? load<u64>(at) : 0;
}

export function readVarint(): u32 {
  let value: u64 = 0;
  for (let i = 0; i < VARINT_BYTES_MAX; i++) {
    const byte = readU8();
    if (failure != OK) return 0;
    value |= <u64>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      if (byte == 0 && i > 0) readerFail(PADDED_VARINT);
      else if (value > <u64>u32.MAX_VALUE) readerFail(VARINT_TOO_LARGE);
      return failure == OK ? <u32>value : 0;
    }
  }
  readerFail(VARINT_TOO_LARGE);
  return 0;
}

/** A varint within the limits, `below` and `above` being the errors outside them. */
export function readCount(least: i32, most: i32, below: i32, above: i32): i32 {
  const count = readVarint();
  if (failure != OK) return 0;
  if (count > <u32>most) readerFail(above);
  else if (count < <u32>least) readerFail(below);
  return failure == OK ? <i32>count : 0;
}

/** Bytes after their length; `readCountedLength` returns how many there are. */
export function readCounted(least: i32, most: i32, below: i32, above: i32): usize {
  countedBytes = readCount(least, most, below, above);
  const at = readBytes(countedBytes);
  if (failure != OK) countedBytes = 0;
  return at;
}

/** Length of what `readCounted` returned last. */
export function readCountedLength(): i32 {
  return countedBytes;
}
