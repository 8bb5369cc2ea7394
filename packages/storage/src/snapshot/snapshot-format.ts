/**
 * The bytes of a snapshot: a head that binds it to a certified cut, the records of the state's tables in the
 * order of their keys, outputs in that of their tree keys, then headers and blocks of late as they are stored, and an end with the number of records
 * and a hash of everything before it.
 *
 * Head: magic, format u32, chain id, height u64, header, certificate (counted each). Record: key and value
 * (counted each). End: an empty key, the number of records u64, SHA-384.
 */
import { createHash } from 'node:crypto';
import { Packer } from '../codec/packer.ts';
import { StoreDamagedError } from '../errors.ts';
import { FORMAT_VERSION } from '../layout.ts';

const MAGIC = Buffer.from('SVCSNAP2');
const HASH_BYTES = 48;
const RECORD_BYTES_MAX = 16 << 20;

export interface SnapshotHead {
  readonly chainId: string;
  readonly height: number;
  readonly header: Uint8Array;
  readonly certificate: Uint8Array;
}

export class SnapshotWriter {
  readonly #hash = createHash('sha384');
  readonly #packer = new Packer();
  #records = 0;

  head({ chainId, height, header, certificate }: SnapshotHead): Uint8Array {
    this.#packer.raw(MAGIC).u32(FORMAT_VERSION).hex(chainId).number(height);
    return this.#hashed(this.#packer.counted(header).counted(certificate).finish());
  }

  records(entries: readonly (readonly [Uint8Array, Uint8Array])[]): Uint8Array {
    for (const [key, value] of entries) this.#packer.counted(key).counted(value);
    this.#records += entries.length;
    return this.#hashed(this.#packer.finish());
  }

  end(): Uint8Array {
    const end = this.#hashed(this.#packer.varint(0).number(this.#records).finish());
    return Buffer.concat([end, this.#hash.digest()]);
  }

  #hashed(bytes: Uint8Array): Uint8Array {
    this.#hash.update(bytes);
    return bytes;
  }
}

/** Bytes of the buffer: how many there are, and where they end. */
interface Counted {
  readonly length: number;
  readonly end: number;
}

/** Reads a stream of bytes in pieces of any size. */
export class SnapshotReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #hash = createHash('sha384');
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0;
  #records = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async head(): Promise<SnapshotHead> {
    const magic = await this.#raw(MAGIC.length);
    const format = (await this.#raw(4)).readUInt32LE();
    if (!magic.equals(MAGIC) || format !== FORMAT_VERSION) throw damaged('it is none of ours');
    const chainId = (await this.#raw(HASH_BYTES)).toString('hex');
    const height = Number((await this.#raw(8)).readBigUInt64LE());
    const header = new Uint8Array(await this.#counted());
    const certificate = new Uint8Array(await this.#counted());
    return { chainId, height, header, certificate };
  }

  /** All records, those of each chunk together; number and hash have been checked when it ends. */
  async *records(): AsyncGenerator<[Uint8Array, Uint8Array][]> {
    for (;;) {
      const { records, isLast } = this.#wholeRecords();
      this.#records += records.length;
      if (records.length > 0) yield records;
      if (isLast) return this.#end();
      await this.#more();
    }
  }

  /** The records that the buffer has all bytes of, and whether the end follows them. */
  #wholeRecords(): { records: [Uint8Array, Uint8Array][]; isLast: boolean } {
    const records: [Uint8Array, Uint8Array][] = [];
    const from = this.#at;
    let isLast = false;
    while (!isLast) {
      const key = this.#countedAt(this.#at);
      isLast = key?.length === 0;
      const value = key === undefined || isLast ? key : this.#countedAt(key.end);
      if (key === undefined || value === undefined) break;
      this.#at = value.end;
      if (!isLast) records.push([this.#copy(key), this.#copy(value)]);
    }
    this.#hash.update(this.#buffer.subarray(from, this.#at));
    return { records, isLast };
  }

  /** Where counted bytes are; undefined if the buffer does not have all of them. */
  #countedAt(at: number): Counted | undefined {
    let length = 0;
    let next = at;
    for (let scale = 1; scale < 2 ** 35; scale *= 128) {
      const byte = this.#buffer[next++];
      if (byte === undefined) return undefined;
      length += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    if (length > RECORD_BYTES_MAX) throw damaged(`a record of ${length} bytes`);
    const end = next + length;
    return end > this.#buffer.length ? undefined : { length, end };
  }

  #copy({ length, end }: Counted): Uint8Array {
    return new Uint8Array(this.#buffer.subarray(end - length, end));
  }

  async #end(): Promise<void> {
    const records = Number((await this.#raw(8)).readBigUInt64LE());
    const expected = this.#hash.digest();
    const found = await this.#read(HASH_BYTES);
    if (records !== this.#records) throw damaged(`${this.#records} records instead of ${records}`);
    if (!expected.equals(found)) throw damaged('its hash is wrong');
    const { done } = await this.#chunks.next();
    if (done !== true || this.#at < this.#buffer.length) throw damaged('bytes follow its end');
  }

  async #counted(): Promise<Buffer> {
    let counted = this.#countedAt(this.#at);
    for (; counted === undefined; counted = this.#countedAt(this.#at)) await this.#more();
    const bytes = await this.#raw(counted.end - this.#at);
    return bytes.subarray(bytes.length - counted.length);
  }

  async #raw(count: number): Promise<Buffer> {
    const bytes = await this.#read(count);
    this.#hash.update(bytes);
    return bytes;
  }

  async #read(count: number): Promise<Buffer> {
    while (this.#buffer.length - this.#at < count) await this.#more();
    this.#at += count;
    return this.#buffer.subarray(this.#at - count, this.#at);
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done === true) throw damaged('it ends too early');
    this.#buffer = Buffer.concat([this.#buffer.subarray(this.#at), value]);
    this.#at = 0;
  }
}

function damaged(what: string): StoreDamagedError {
  return new StoreDamagedError(`the snapshot cannot be used: ${what}; get it anew`);
}

/** Reads a snapshot to its end and throws unless it is whole; what is in it is not looked at. */
export async function expectWholeSnapshot(
  chunks: AsyncIterable<Uint8Array>,
): Promise<SnapshotHead> {
  const reader = new SnapshotReader(chunks);
  const head = await reader.head();
  const records = reader.records();
  while ((await records.next()).done !== true);
  return head;
}
