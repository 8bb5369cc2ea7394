/**
 * A waiting transaction on the disk. The key is `id | received at u64 | origin u8 | version u8`, the value is
 * the wire as it is, so that nothing is copied to be written. The id vouches for the body. Nothing vouches for
 * the witnesses, so what is read back is not taken as checked; see `restoration.ts`.
 */
import type { Identifier } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import type { Origin, PooledTransaction } from '../ports/mempool.ts';

const VERSION = 1;
const ORIGINS: readonly Origin[] = ['own', 'relayed'];
const RECEIVED_AT = 48;
const ORIGIN_AT = 56;
const VERSION_AT = 57;
export const RECORD_KEY_BYTES = 58;

/** A number on its way into a key; asking small arrays for their buffer costs more than this copy. */
const u64 = new DataView(new ArrayBuffer(8));
const u64Bytes = new Uint8Array(u64.buffer);

export type RecordKey = Pick<PooledTransaction, 'id' | 'receivedAtMillis' | 'origin'>;

export function encodeRecordKey({ id, receivedAtMillis, origin }: RecordKey): Uint8Array {
  const key = new Uint8Array(RECORD_KEY_BYTES);
  key.setFromHex(id);
  u64.setBigUint64(0, BigInt(receivedAtMillis));
  key.set(u64Bytes, RECEIVED_AT);
  key[ORIGIN_AT] = ORIGINS.indexOf(origin);
  key[VERSION_AT] = VERSION;
  return key;
}

/** Undefined for a key that is damaged, or of a release that is not this one. */
export function decodeRecordKey(key: Uint8Array): RecordKey | undefined {
  if (key.length !== RECORD_KEY_BYTES || key[VERSION_AT] !== VERSION) return undefined;
  const id: Identifier = toHex(key.subarray(0, RECEIVED_AT));
  const origin = ORIGINS[key[ORIGIN_AT] as number];
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const receivedAtMillis = Number(view.getBigUint64(RECEIVED_AT));
  if (origin === undefined || !Number.isSafeInteger(receivedAtMillis)) return undefined;
  return { id, receivedAtMillis, origin };
}
