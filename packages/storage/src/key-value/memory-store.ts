/**
 * The database in memory, for tests and simulations.
 */
import { compareBytes } from 'svc-wasm/base';
import type {
  Entry,
  KeyRange,
  KeyValueStore,
  RangeOptions,
  WriteBatch,
  WriteOperation,
} from './key-value-store.ts';

const SCAN_ENTRIES = 256;

export class MemoryStore implements KeyValueStore {
  readonly #entries = new Map<string, Entry>();
  #sorted: Entry[] | undefined;
  #revision = 0;

  get revision(): number {
    return this.#revision;
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    return this.#entries.get(nameOf(key))?.[1];
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return keys.map((key) => this.getSync(key));
  }

  async range({ from, to, limit, reverse = false }: RangeOptions): Promise<Entry[]> {
    const within = this.#within({ from, to });
    return (reverse ? within.reverse() : within).slice(0, limit);
  }

  async *scan(range: KeyRange): AsyncIterable<readonly Entry[]> {
    const within = this.#within(range);
    for (let at = 0; at < within.length; at += SCAN_ENTRIES) {
      yield within.slice(at, at + SCAN_ENTRIES);
    }
  }

  #within({ from, to }: KeyRange): Entry[] {
    this.#sorted ??= [...this.#entries.values()].sort(([a], [b]) => compareBytes(a, b));
    return this.#sorted.filter(
      ([key]) => compareBytes(key, from) >= 0 && compareBytes(key, to) < 0,
    );
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
    this.#sorted = undefined;
    this.#revision += 2;
    for (const operation of operations) {
      const name = nameOf(operation.key);
      if (operation.type === 'del') this.#entries.delete(name);
      else this.#entries.set(name, [operation.key.slice(), operation.value.slice()]);
    }
  }

  async close(): Promise<void> {}
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}
