/**
 * The chain's database with a checksum on every record, over key and value, checked on every read: the binding
 * lets LevelDB read without checking its own, and a compaction gives corrupt bytes a fresh one. Records of checked
 * tables and of tree buckets have one already and are stored as they are.
 */
import { openEngine } from '../bodies/open-engine.ts';
import { expectChecksum, PassingRecords, withChecksum } from '../codec/checksum.ts';
import { TABLES } from '../codec/table-checksums.ts';
import { LAYOUT, type StoreTable } from '../layout.ts';
import type {
  Entry,
  KeyRange,
  KeyValueStore,
  RangeOptions,
  ReadOptions,
  WriteBatch,
  WriteOperation,
  WriteOptions,
} from './key-value-store.ts';
import type { LevelOptions } from './level-store.ts';

export class ChecksummedStore implements KeyValueStore {
  readonly #below: KeyValueStore;
  readonly #passing = new PassingRecords();

  constructor(below: KeyValueStore) {
    this.#below = below;
  }

  /** Opens the database of a chain. */
  static async open(directory: string, options: LevelOptions = {}): Promise<ChecksummedStore> {
    return new ChecksummedStore(await openEngine(directory, options));
  }

  get revision(): number {
    return this.#below.revision;
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    const record = this.#below.getSync(key);
    return record === undefined ? undefined : contentsOf(key, record);
  }

  async getMany(
    keys: readonly Uint8Array[],
    options?: ReadOptions,
  ): Promise<(Uint8Array | undefined)[]> {
    const records = await this.#below.getMany(keys, options);
    return records.map((record, at) =>
      record === undefined ? undefined : contentsOf(keys[at] as Uint8Array, record),
    );
  }

  async range(options: RangeOptions): Promise<Entry[]> {
    return (await this.#below.range(options)).map(entryOf);
  }

  async *scan(range: KeyRange): AsyncIterable<readonly Entry[]> {
    for await (const entries of this.#below.scan(range)) yield entries.map(entryOf);
  }

  batch(): WriteBatch {
    const batch = this.#below.batch();
    const { copies = false, putAll } = batch;
    return {
      copies,
      putAll: putAll && ((records) => putAll({ ...records, getChecksums: true })),
      put: (key, value) => batch.put(key, this.#recordOf(key, value, copies)),
      delete: (key) => batch.delete(key),
      write: (options) => batch.write(options),
    };
  }

  write(operations: readonly WriteOperation[], options: WriteOptions): Promise<void> {
    const records = operations.map((operation) =>
      operation.type === 'put'
        ? { ...operation, value: this.#recordOf(operation.key, operation.value, false) }
        : operation,
    );
    return this.#below.write(records, options);
  }

  sizeOf(range: KeyRange): Promise<number> {
    return this.#below.sizeOf(range);
  }

  compact(range: KeyRange): Promise<void> {
    return this.#below.compact(range);
  }

  close(): Promise<void> {
    return this.#below.close();
  }

  #recordOf(key: Uint8Array, value: Uint8Array, mayPass: boolean): Uint8Array {
    if (TABLES[key[0] as number]?.isAdded !== true) return value;
    return mayPass ? this.#passing.record(key, value) : withChecksum(key, value);
  }
}

function contentsOf(key: Uint8Array, record: Uint8Array): Uint8Array {
  const table = TABLES[key[0] as number];
  if (table === undefined) return record;
  const value = expectChecksum(key, record, table.name);
  return table.isAdded ? value : record;
}

/** The table that the key of a record belongs to, if there is one. */
export function tableOf(key: Uint8Array): StoreTable | undefined {
  return key[0] === LAYOUT.buckets.prefix ? 'buckets' : TABLES[key[0] as number]?.name;
}

function entryOf([key, record]: Entry): Entry {
  return [key, contentsOf(key, record)];
}
