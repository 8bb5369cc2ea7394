/**
 * A database whose first failed write is its last: the contents of the disk are unknown then, so everything
 * after it is refused until the process has ended and the store is opened again. The same holds for the first
 * record that is not what was written: nothing may be built on a corrupt store.
 */

import { FatalStorageError, type StorageError, StoreDamagedError } from '../errors.ts';
import { CHAIN_CONTENTS } from '../open/contents.ts';
import type { GatheringStore } from './gathering-store.ts';
import type {
  BatchOptions,
  Entry,
  KeyRange,
  KeyValueStore,
  RangeOptions,
  ReadOptions,
  WriteBatch,
  WriteOperation,
  WriteOptions,
} from './key-value-store.ts';

/** What the engine says of `EIO`. */
const UNREADABLE = /^IO error: .*: Input\/output error$/;

export interface GuardPorts {
  /** Describes the file that makes the engine fail, if it can be found. */
  readonly nameDamage?: () => string | undefined;
}

export class GuardedStore implements KeyValueStore {
  readonly #below: GatheringStore;
  readonly #nameDamage: () => string | undefined;
  #failure: StorageError | undefined;
  #onFailure: (failure: StorageError) => void = () => {};

  constructor(below: GatheringStore, { nameDamage = () => undefined }: GuardPorts = {}) {
    this.#below = below;
    this.#nameDamage = nameDamage;
  }

  /** Reports the first later failure; an earlier one was thrown when the store was opened. */
  tellFailure(onFailure: (failure: StorageError) => void): void {
    this.#onFailure = onFailure;
  }

  /** Throws what made the database unusable; for what is answered from memory. */
  expectUsable(): void {
    this.#usable();
  }

  get isUsable(): boolean {
    return this.#failure === undefined;
  }

  /** Refuses everything from now on: what was found elsewhere shows that the store is damaged or cannot be read. */
  refuse(found: StoreDamagedError | FatalStorageError): void {
    if (this.#failure !== undefined) return;
    this.#failure = found;
    this.#onFailure(found);
  }

  #usable(): KeyValueStore {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#below;
  }

  get revision(): number {
    return this.#below.revision;
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    try {
      return this.#usable().getSync(key);
    } catch (error) {
      throw this.#found(error);
    }
  }

  async getMany(
    keys: readonly Uint8Array[],
    options?: ReadOptions,
  ): Promise<(Uint8Array | undefined)[]> {
    return this.#read((store) => store.getMany(keys, options));
  }

  async range(options: RangeOptions): Promise<Entry[]> {
    return this.#read((store) => store.range(options));
  }

  async *scan(range: KeyRange): AsyncIterable<readonly Entry[]> {
    try {
      yield* this.#usable().scan(range);
    } catch (error) {
      throw this.#found(error);
    }
  }

  async #read<T>(read: (store: KeyValueStore) => Promise<T>): Promise<T> {
    try {
      return await read(this.#usable());
    } catch (error) {
      throw this.#found(error);
    }
  }

  /** Remembers damage, so that the next commit ends the process with its words. */
  #found(error: unknown): unknown {
    const found = isOfFiles(error) ? this.#damagedBy(error) : error;
    if (found instanceof StoreDamagedError) this.refuse(found);
    return found;
  }

  #damagedBy(cause: Error): StoreDamagedError {
    const what = this.#nameDamage() ?? 'a table file of the database is damaged';
    return new StoreDamagedError(`${what} (${cause.message}); ${CHAIN_CONTENTS.advice}`, { cause });
  }

  /** See `GatheringStore`. */
  get keptBytes(): number {
    return this.#below.keptBytes;
  }

  /** See `GatheringStore`. */
  async writeBeside(operations: readonly WriteOperation[]): Promise<void> {
    await this.#guarded(() => this.#below.writeBeside(operations));
  }

  /** Brings everything that was kept in memory to the disk. */
  async flush(): Promise<void> {
    await this.#guarded(() => this.#below.flush());
  }

  batch(options?: BatchOptions): WriteBatch {
    const batch = this.#usable().batch(options);
    return {
      copies: batch.copies ?? false,
      direct: batch.direct,
      put: (key, value) => batch.put(key, value),
      delete: (key) => batch.delete(key),
      write: (options) => this.#guarded(() => batch.write(options)),
    };
  }

  async write(operations: readonly WriteOperation[], options: WriteOptions): Promise<void> {
    await this.#guarded((store) => store.write(operations, options));
  }

  sizeOf(range: KeyRange): Promise<number> {
    return this.#usable().sizeOf(range);
  }

  /** Damage that is found before the files are rewritten is damage; any other failure is that of a write. */
  async compact(range: KeyRange): Promise<void> {
    await this.#guarded((store) => store.compact(range));
  }

  async #guarded(write: (store: KeyValueStore) => Promise<void>): Promise<void> {
    const store = this.#usable();
    try {
      await write(store);
    } catch (cause) {
      // A compaction reads tables, and the engine reports what it met there to the next write.
      if (cause instanceof StoreDamagedError || isCorruption(cause)) throw this.#found(cause);
      const reason = cause instanceof Error ? cause.message : String(cause);
      this.#failure = new FatalStorageError(
        `a write failed (${reason}); free disk space or replace the disk, then start again`,
        { cause },
      );
      throw this.#failure;
    }
  }

  /** Closing is allowed after a failure: it closes the files. */
  close(): Promise<void> {
    return this.#below.close();
  }
}

/** Whether a read of the engine failed because a file is damaged or cannot be read. */
function isOfFiles(error: unknown): error is Error {
  return isCorruption(error) || (error instanceof Error && UNREADABLE.test(error.message));
}

function isCorruption(error: unknown): error is Error {
  return error instanceof Error && error.message.startsWith('Corruption:');
}
