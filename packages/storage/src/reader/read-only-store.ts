/**
 * The store for readers in other threads of the process that holds it. The holder's thread must have it
 * open first and close it last.
 */
import { LevelStore } from '../key-value/level-store.ts';
import { databaseOf } from '../open/open-store.ts';
import { StoredChainReader } from './stored-chain-reader.ts';

export class ReadOnlyStore {
  readonly #level: LevelStore;

  private constructor(level: LevelStore) {
    this.#level = level;
  }

  static async open(directory: string): Promise<ReadOnlyStore> {
    const level = await LevelStore.open(databaseOf(directory), { createIfMissing: false });
    return new ReadOnlyStore(level);
  }

  /** A view of the cut that is the head now. */
  reader(): StoredChainReader {
    return new StoredChainReader(this.#level.snapshot());
  }

  close(): Promise<void> {
    return this.#level.close();
  }
}
