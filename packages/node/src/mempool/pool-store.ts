/**
 * The mempool on the disk. What comes and what is pushed out for it change in one write.
 */
import type { WriteOperation } from 'svc-storage';
import { GroupCommit } from './group-commit.ts';
import type { PoolDisk } from './pool-disk.ts';
import {
  decodeRecordKey,
  encodeRecordKey,
  RECORD_KEY_BYTES,
  type RecordKey,
} from './pool-record.ts';

const EVERYTHING = { from: new Uint8Array(), to: new Uint8Array(RECORD_KEY_BYTES + 1).fill(255) };

export interface StoredTransaction extends RecordKey {
  readonly wire: Uint8Array;
}

export interface StoredTransactions {
  /** In the order they came. */
  readonly transactions: readonly StoredTransaction[];
  /** Keys that say nothing. */
  readonly damaged: readonly Uint8Array[];
}

export class PoolStore {
  readonly #store: PoolDisk;
  readonly #commit: GroupCommit;

  constructor(store: PoolDisk, onFatal: (error: Error) => void) {
    this.#store = store;
    this.#commit = new GroupCommit(store, onFatal);
  }

  /** The write that failed: nothing can be written any more. */
  get failure(): Error | undefined {
    return this.#commit.failure;
  }

  async load(): Promise<StoredTransactions> {
    const transactions: StoredTransaction[] = [];
    const damaged: Uint8Array[] = [];
    for await (const entries of this.#store.scan(EVERYTHING)) {
      for (const [key, wire] of entries) {
        const decoded = decodeRecordKey(key);
        if (decoded === undefined) damaged.push(key);
        else transactions.push({ ...decoded, wire });
      }
    }
    transactions.sort((a, b) => a.receivedAtMillis - b.receivedAtMillis);
    return { transactions, damaged };
  }

  /** Resolves when it is on the disk. */
  add(added: StoredTransaction, evicted: readonly RecordKey[]): Promise<void> {
    const put = { type: 'put', key: encodeRecordKey(added), value: added.wire } as const;
    const operations = evicted.length === 0 ? [put] : [...evicted.map(deletion), put];
    return this.#commit.write(operations, { sync: true });
  }

  /** Need not reach the disk soon: what comes back after a crash is looked at again. */
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
    await this.#store.close();
  }
}

function deletion(record: RecordKey): WriteOperation {
  return { type: 'del', key: encodeRecordKey(record) };
}
