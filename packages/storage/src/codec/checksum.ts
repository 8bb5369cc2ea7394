/**
 * Checksums of records: four bytes at the end, over key and value, so that a record under a foreign key is found
 * too.
 */
import { crc32 } from 'node:zlib';
import { StoreDamagedError } from '../errors.ts';
import { unclearedBytes } from './uncleared-bytes.ts';

const CHECKSUM_BYTES = 4;
/** Room for the key and body of a block. */
const FIRST_BYTES = 72 << 10;

export function withChecksum(key: Uint8Array, value: Uint8Array): Uint8Array {
  const record = unclearedBytes(value.length + CHECKSUM_BYTES);
  record.set(value);
  new DataView(record.buffer).setUint32(value.length, checksumOf(key, value), true);
  return record;
}

/** Makes records with checksums in one piece of memory: each is gone with the next, so who gets one copies it. */
export class PassingRecords {
  #memory = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#memory.buffer);

  record(key: Uint8Array, value: Uint8Array): Uint8Array {
    const end = key.length + value.length;
    if (end + CHECKSUM_BYTES > this.#memory.length) this.#grow(end + CHECKSUM_BYTES);
    this.#memory.set(key);
    this.#memory.set(value, key.length);
    this.#view.setUint32(end, crc32(this.#memory.subarray(0, end)), true);
    return this.#memory.subarray(key.length, end + CHECKSUM_BYTES);
  }

  #grow(bytes: number): void {
    this.#memory = new Uint8Array(2 * bytes);
    this.#view = new DataView(this.#memory.buffer);
  }
}

export function expectChecksum(key: Uint8Array, record: Uint8Array, what: string): Uint8Array {
  if (hasChecksum(key, record)) return record.subarray(0, record.length - CHECKSUM_BYTES);
  throw new StoreDamagedError(
    `a record of ${what} has a wrong checksum: the disk or the memory of this machine is failing; run ` +
      '`svcd repair`, restore a backup, import a snapshot with `svcd snapshot import`, run `svcd reindex` on an archive, or sync anew',
  );
}

/** Whether a record ends in the checksum of its key and value. */
export function hasChecksum(key: Uint8Array, record: Uint8Array): boolean {
  const end = record.length - CHECKSUM_BYTES;
  if (end < 0) return false;
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  return view.getUint32(end, true) === checksumOf(key, record.subarray(0, end));
}

function checksumOf(key: Uint8Array, value: Uint8Array): number {
  return crc32(value, crc32(key));
}
