/**
 * The waiting transactions on the disk. A transaction that comes and those pushed out for it change in one
 * write. The key of a record is `id | received at u64 | origin u8 | version u8`, the value is the wire as it
 * is, so that nothing is copied to be written. The id vouches for the body. Nothing vouches for the witnesses,
 * so what is read back does not count as checked; see `transaction-pool.ts`.
 */
import type { Identifier } from 'svc-ledger';
import type { Origin, PooledTransaction } from 'svc-serve/ports';
import type { Entry, KeyRange, WriteOperation } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { GroupCommit, type WritableStore } from './group-commit.ts';

/**
 * Where the records lie while the node is down. Any key-value store will do; the node itself uses a journal,
 * which costs less than a store that keeps its keys in order. After a crash the operations of a write are
 * there up to one of them; with `sync`, all of them once the promise has resolved.
 */
export interface PoolDisk extends WritableStore {
  /** All pairs within the range, in any order. */
  scan(range: KeyRange): AsyncIterable<readonly Entry[]>;
  close(): Promise<void>;
}

const VERSION = 1;
const ORIGINS: readonly Origin[] = ['own', 'relayed'];
const RECEIVED_AT = 48;
const ORIGIN_AT = 56;
const VERSION_AT = 57;
const KEY_BYTES = 58;
const EVERYTHING = { from: new Uint8Array(), to: new Uint8Array(KEY_BYTES + 1).fill(255) };

/** A number on its way into a key; asking small arrays for their buffer costs more than this copy. */
const u64 = new DataView(new ArrayBuffer(8));
const u64Bytes = new Uint8Array(u64.buffer);

type RecordKey = Pick<PooledTransaction, 'id' | 'receivedAtMillis' | 'origin'>;

/** What is on the disk of a pooled transaction. */
export type PoolRecord = RecordKey & Pick<PooledTransaction, 'wire'>;

export interface PoolRecords {
  /** In the order of arrival. */
  readonly records: readonly PoolRecord[];
  /** Keys that cannot be decoded. */
  readonly damaged: readonly Uint8Array[];
}

export class PoolStore {
  readonly #disk: PoolDisk;
  readonly #commit: GroupCommit;

  constructor(disk: PoolDisk, onFatal: (error: Error) => void) {
    this.#disk = disk;
    this.#commit = new GroupCommit(disk, onFatal);
  }

  /** The write that failed: nothing can be written any more. */
  get failure(): Error | undefined {
    return this.#commit.failure;
  }

  async load(): Promise<PoolRecords> {
    const records: PoolRecord[] = [];
    const damaged: Uint8Array[] = [];
    for await (const entries of this.#disk.scan(EVERYTHING)) {
      for (const [key, wire] of entries) {
        const decoded = decodeKey(key);
        if (decoded === undefined) damaged.push(key);
        else records.push({ ...decoded, wire });
      }
    }
    records.sort((a, b) => a.receivedAtMillis - b.receivedAtMillis);
    return { records, damaged };
  }

  /** Resolves when the added transaction is on the disk. */
  add(added: PoolRecord, evicted: readonly RecordKey[]): Promise<void> {
    const put = { type: 'put', key: encodeKey(added), value: added.wire } as const;
    const operations = evicted.length === 0 ? [put] : [...evicted.map(deletion), put];
    return this.#commit.write(operations, { sync: true });
  }

  /** Need not reach the disk soon: what comes back after a crash is checked again. */
  remove(removed: readonly RecordKey[]): void {
    this.#delete(removed.map(deletion));
  }

  removeDamaged(keys: readonly Uint8Array[]): void {
    this.#delete(keys.map((key) => ({ type: 'del', key })));
  }

  #delete(deletions: readonly WriteOperation[]): void {
    if (deletions.length > 0 && !this.isClosed) void this.#commit.write(deletions, { sync: false });
  }

  /** Resolves when nothing is being written. */
  settled(): Promise<void> {
    return this.#commit.settled();
  }

  get isClosed(): boolean {
    return this.#commit.isClosed;
  }

  async close(): Promise<void> {
    await this.#commit.close();
    await this.#disk.close();
  }
}

function deletion(record: RecordKey): WriteOperation {
  return { type: 'del', key: encodeKey(record) };
}

function encodeKey({ id, receivedAtMillis, origin }: RecordKey): Uint8Array {
  const key = new Uint8Array(KEY_BYTES);
  key.setFromHex(id);
  u64.setBigUint64(0, BigInt(receivedAtMillis));
  key.set(u64Bytes, RECEIVED_AT);
  key[ORIGIN_AT] = ORIGINS.indexOf(origin);
  key[VERSION_AT] = VERSION;
  return key;
}

/** Undefined for a key that is damaged, or of a release that is not this one. */
function decodeKey(key: Uint8Array): RecordKey | undefined {
  if (key.length !== KEY_BYTES || key[VERSION_AT] !== VERSION) return undefined;
  const id: Identifier = toHex(key.subarray(0, RECEIVED_AT));
  const origin = ORIGINS[key[ORIGIN_AT] as number];
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const receivedAtMillis = Number(view.getBigUint64(RECEIVED_AT));
  if (origin === undefined || !Number.isSafeInteger(receivedAtMillis)) return undefined;
  return { id, receivedAtMillis, origin };
}
