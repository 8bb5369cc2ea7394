/**
 * The mempool on the disk. What comes and what is pushed out for it change in one write.
 */
import type { KeyValueStore, WriteOperation } from 'svc-storage';
import { GroupCommit } from './group-commit.ts';
import type { PoolEntry } from './pool-entry.ts';
import { decodeRecord, encodeRecord, type PoolRecord, recordKey } from './pool-record.ts';

const EVERYTHING = { from: new Uint8Array(), to: new Uint8Array(49).fill(0xff) };

export interface StoredTransactions {
  /** In the order they came. */
  readonly records: readonly PoolRecord[];
  /** Keys of records that cannot be used. */
  readonly damaged: readonly Uint8Array[];
}

export class PoolStore {
  readonly #store: KeyValueStore;
  readonly #commit: GroupCommit;

  constructor(store: KeyValueStore, onFatal: (error: Error) => void) {
    this.#store = store;
    this.#commit = new GroupCommit(store, onFatal);
  }

  get failure(): Error | undefined {
    return this.#commit.failure;
  }

  async load(): Promise<StoredTransactions> {
    const records: PoolRecord[] = [];
    const damaged: Uint8Array[] = [];
    for await (const entries of this.#store.scan(EVERYTHING)) {
      for (const [key, value] of entries) {
        const record = decodeRecord(key, value);
        if (record === undefined) damaged.push(key);
        else records.push(record);
      }
    }
    records.sort((a, b) => a.receivedAtMillis - b.receivedAtMillis);
    return { records, damaged };
  }

  /** Resolves when it is on the disk. */
  add(entry: PoolEntry, evicted: readonly PoolEntry[]): Promise<void> {
    const key = recordKey(entry.id);
    const put: WriteOperation = { type: 'put', key, value: encodeRecord(key, entry) };
    return this.#commit.write([...evicted.map(({ id }) => deletion(recordKey(id))), put], {
      sync: true,
    });
  }

  /** Need not reach the disk soon: what comes back after a crash is looked at again. */
  remove(ids: readonly string[]): void {
    this.forget(ids.map(recordKey));
  }

  forget(keys: readonly Uint8Array[]): void {
    if (keys.length > 0) void this.#commit.write(keys.map(deletion), { sync: false });
  }

  async close(): Promise<void> {
    await this.#commit.settled();
    await this.#store.close();
  }
}

function deletion(key: Uint8Array): WriteOperation {
  return { type: 'del', key };
}
