/**
 * Records of the journal: `length u32 | crc32 u32 | kind u8 | key length u8 | key | value`, little-endian. The
 * length counts what follows the checksum, and the checksum covers it. A record that is not whole ends its file.
 */
import { crc32 } from 'node:zlib';
import type { WriteOperation } from 'svc-storage';

const HEAD_BYTES = 8;
const KEY_AT = 10;
const PUT = 1;
const DELETE = 2;

export interface JournalRecord {
  readonly key: Uint8Array;
  /** Undefined if the key was deleted. */
  readonly value: Uint8Array | undefined;
  /** Where the record begins, and how long it is. */
  readonly at: number;
  readonly length: number;
}

export function recordBytes(operation: WriteOperation): number {
  const valueBytes = operation.type === 'put' ? operation.value.length : 0;
  return KEY_AT + operation.key.length + valueBytes;
}

/** Writes a record; the buffer has room for it. */
export function putRecord(buffer: Buffer, at: number, operation: WriteOperation): void {
  const { key, type } = operation;
  const end = at + recordBytes(operation);
  buffer[at + HEAD_BYTES] = type === 'put' ? PUT : DELETE;
  buffer[at + HEAD_BYTES + 1] = key.length;
  buffer.set(key, at + KEY_AT);
  if (type === 'put') buffer.set(operation.value, at + KEY_AT + key.length);
  buffer.writeUInt32LE(end - at - HEAD_BYTES, at);
  buffer.writeUInt32LE(crc32(buffer.subarray(at + HEAD_BYTES, end)), at + 4);
}

/** The records of a file up to the first that is not whole; they are parts of the bytes. */
export function* recordsOf(bytes: Buffer): Generator<JournalRecord> {
  for (let at = 0; at + KEY_AT <= bytes.length; ) {
    const end = at + HEAD_BYTES + bytes.readUInt32LE(at);
    if (end > bytes.length) return;
    const covered = bytes.subarray(at + HEAD_BYTES, end);
    if (crc32(covered) !== bytes.readUInt32LE(at + 4)) return;
    const kind = covered[0];
    const keyEnd = at + KEY_AT + (covered[1] ?? 0);
    if (covered.length < 2 || keyEnd > end || (kind !== PUT && kind !== DELETE)) return;
    const value = kind === PUT ? bytes.subarray(keyEnd, end) : undefined;
    yield { key: bytes.subarray(at + KEY_AT, keyEnd), value, at, length: end - at };
    at = end;
  }
}
