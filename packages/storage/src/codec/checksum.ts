/**
 * Checksums of records: four bytes at the end, over key and value, so that a record under a foreign key is found
 * too.
 */
import { crc32 } from 'node:zlib';
import { StoreDamagedError } from '../errors.ts';
import { slicedCrc } from './sliced-crc.ts';
import { unclearedBytes } from './uncleared-bytes.ts';

const CHECKSUM_BYTES = 4;
/** The polynomial that the runtime has too. */
const POLYNOMIAL = 0xedb88320;
/** Keys and values of more bytes are left to the runtime, whose calls take as long as this many bytes do here. */
const SHORT_BYTES_MAX = 160;
/** Room for the body of a block. */
const FIRST_BYTES = 72 << 10;

const shortCrc = slicedCrc(POLYNOMIAL);

export function withChecksum(key: Uint8Array, value: Uint8Array): Uint8Array {
  const record = unclearedBytes(value.length + CHECKSUM_BYTES);
  record.set(value);
  new DataView(record.buffer).setUint32(value.length, checksumOf(key, value, value.length), true);
  return record;
}

/** Makes records with checksums in one piece of memory: the next one overwrites a record, so callers copy it. */
export class PassingRecords {
  #memory = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#memory.buffer);

  record(key: Uint8Array, value: Uint8Array): Uint8Array {
    const end = value.length;
    if (end + CHECKSUM_BYTES > this.#memory.length) this.#grow(end + CHECKSUM_BYTES);
    this.#memory.set(value);
    this.#view.setUint32(end, checksumOf(key, value, end), true);
    return this.#memory.subarray(0, end + CHECKSUM_BYTES);
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
  return end >= 0 && checksumAt(record, end) === checksumOf(key, record, end);
}

function checksumAt(record: Uint8Array, at: number): number {
  const byte = (place: number) => record[at + place] as number;
  return (byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24)) >>> 0;
}

/** Over the key and the first bytes of the value. */
function checksumOf(key: Uint8Array, value: Uint8Array, end: number): number {
  if (key.length + end <= SHORT_BYTES_MAX)
    return shortCrc(value, 0, end, shortCrc(key, 0, key.length));
  return crc32(value.subarray(0, end), crc32(key));
}
