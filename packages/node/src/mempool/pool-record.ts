/**
 * A waiting transaction on the disk: `version u8 | origin u8 | received at u64 | wire | checksum u32`, under
 * its id. The checksum covers the key too. It guards against damage and against nothing else, so what is read
 * back is not taken as checked: its signatures were, before it was written, and are again when it executes.
 */
import { crc32 } from 'node:zlib';
import { bytesOf } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import type { Origin, PooledTransaction } from '../ports/mempool.ts';

const VERSION = 1;
const ORIGINS: readonly Origin[] = ['own', 'relayed'];
const HEAD_BYTES = 10;
const CHECKSUM_BYTES = 4;

export interface PoolRecord {
  readonly id: string;
  readonly origin: Origin;
  readonly receivedAtMillis: number;
  readonly wire: Uint8Array;
}

export function recordKey(id: string): Uint8Array {
  return bytesOf(id);
}

export function encodeRecord(
  key: Uint8Array,
  entry: Pick<PooledTransaction, 'wire' | 'origin' | 'receivedAtMillis'>,
): Uint8Array {
  const end = HEAD_BYTES + entry.wire.length;
  const record = new Uint8Array(end + CHECKSUM_BYTES);
  const view = new DataView(record.buffer);
  record[0] = VERSION;
  record[1] = ORIGINS.indexOf(entry.origin);
  view.setBigUint64(2, BigInt(entry.receivedAtMillis), true);
  record.set(entry.wire, HEAD_BYTES);
  view.setUint32(end, crc32(record.subarray(0, end), crc32(key)), true);
  return record;
}

/** Undefined for a record that is damaged, or of a release that is not this one. */
export function decodeRecord(key: Uint8Array, record: Uint8Array): PoolRecord | undefined {
  const end = record.length - CHECKSUM_BYTES;
  if (end < HEAD_BYTES || record[0] !== VERSION) return undefined;
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  if (view.getUint32(end, true) !== crc32(record.subarray(0, end), crc32(key))) return undefined;
  const origin = ORIGINS[record[1] as number];
  const receivedAtMillis = Number(view.getBigUint64(2, true));
  if (origin === undefined || !Number.isSafeInteger(receivedAtMillis)) return undefined;
  return { id: toHex(key), origin, receivedAtMillis, wire: record.subarray(HEAD_BYTES, end) };
}
