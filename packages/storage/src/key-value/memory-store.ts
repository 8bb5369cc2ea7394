/**
 * The database in memory, for tests, simulations and development networks. A copy shares everything with its original
 * until one of them writes, so it costs nothing to make.
 */
import sortedBtree from 'sorted-btree';
import { compareBytes } from 'svc-wasm/base';
import type {
  Entry,
  KeyRange,
  KeyValueStore,
  RangeOptions,
  WriteBatch,
  WriteOperation,
} from './key-value-store.ts';

const BTree = sortedBtree.default;
const SCAN_ENTRIES = 256;

export class MemoryStore implements KeyValueStore {
  #entries = new BTree<Uint8Array, Uint8Array>(undefined, compareBytes);
  #revision = 0;

  get revision(): number {
    return this.#revision;
  }

  /** A store of its own with what is in this one now. */
  copy(): MemoryStore {
    const copy = new MemoryStore();
    copy.#entries = this.#entries.clone();
    return copy;
  }

  /** Everything that is in the store now, in order. */
  entries(): Entry[] {
    return this.#entries.toArray();
  }

  /** Puts entries into a store that is not in use yet. */
  fill(entries: Iterable<Entry>): this {
    for (const [key, value] of entries) this.#entries.set(key, value);
    return this;
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    return this.#entries.get(key);
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return keys.map((key) => this.getSync(key));
  }

  async range({ from, to, limit, reverse = false }: RangeOptions): Promise<Entry[]> {
    return reverse ? this.#backwards(from, to, limit) : this.#forwards(from, to, limit);
  }

  async *scan({ from, to }: KeyRange): AsyncIterable<readonly Entry[]> {
    for (let next = from; ; ) {
      const entries = this.#forwards(next, to, SCAN_ENTRIES);
      const last = entries.at(-1);
      if (last === undefined) return;
      yield entries;
      next = new Uint8Array(last[0].length + 1);
      next.set(last[0]);
    }
  }

  #forwards(from: Uint8Array, to: Uint8Array, limit: number): Entry[] {
    const found: Entry[] = [];
    for (const entry of this.#entries.entries(from)) {
      if (found.length >= limit || compareBytes(entry[0], to) >= 0) break;
      found.push(entry);
    }
    return found;
  }

  #backwards(from: Uint8Array, to: Uint8Array, limit: number): Entry[] {
    const found: Entry[] = [];
    for (const entry of this.#entries.entriesReversed(to, undefined, true)) {
      if (found.length >= limit || compareBytes(entry[0], from) < 0) break;
      found.push(entry);
    }
    return found;
  }

  batch(): WriteBatch {
    const operations: WriteOperation[] = [];
    return {
      put: (key, value) => void operations.push({ type: 'put', key, value }),
      delete: (key) => void operations.push({ type: 'del', key }),
      write: () => this.write(operations),
    };
  }

  async write(operations: readonly WriteOperation[]): Promise<void> {
    this.#revision += 2;
    for (const operation of operations) {
      if (operation.type === 'del') this.#entries.delete(operation.key);
      else this.#entries.set(operation.key.slice(), operation.value.slice());
    }
  }

  async sizeOf(): Promise<number> {
    return 0;
  }

  async compact(): Promise<void> {}

  async close(): Promise<void> {}
}
