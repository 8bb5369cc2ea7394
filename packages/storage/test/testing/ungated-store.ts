/**
 * The engine without the gate: writes wait for no reader, and a scan keeps the iterators of its pieces open until it ends.
 * It is the control of the versions test, which must find wrong versions here; nothing else may use it.
 */
import { ClassicLevel } from 'classic-level';
import type {
  Entry,
  KeyRange,
  KeyValueStore,
  RangeOptions,
  WriteBatch,
  WriteOperation,
  WriteOptions,
} from '../../src/key-value/key-value-store.ts';
import type { LevelOptions } from '../../src/key-value/level-store.ts';

type Level = ClassicLevel<Uint8Array, Uint8Array>;

interface Cursor {
  nextv(size: number): Promise<[Uint8Array, Uint8Array][]>;
  close(): Promise<void>;
}

const SCAN_ENTRIES = 1_024;

export class UngatedStore implements KeyValueStore {
  readonly #level: Level;
  readonly revision = 0;

  private constructor(level: Level) {
    this.#level = level;
  }

  static async open(directory: string, options: LevelOptions): Promise<UngatedStore> {
    const level: Level = new ClassicLevel(directory, {
      keyEncoding: 'view',
      valueEncoding: 'view',
    });
    await level.open({
      compression: false,
      cacheSize: options.cacheBytes ?? 256 << 20,
      writeBufferSize: options.writeBufferBytes ?? 64 << 20,
      maxFileSize: options.fileBytes ?? 16 << 20,
    });
    return new UngatedStore(level);
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    return this.#level.getSync(key);
  }

  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return this.#level.getMany(keys as Uint8Array[]);
  }

  range({ from, to, limit, reverse = false }: RangeOptions): Promise<Entry[]> {
    return this.#level.iterator({ gte: from, lt: to, limit, reverse }).all();
  }

  /** What it answers is what `LevelStore` answers: each piece shows the moment at which it is read. */
  async *scan({ from, to }: KeyRange): AsyncIterable<readonly Entry[]> {
    const iterators: Cursor[] = [];
    let range: { gte: Uint8Array } | { gt: Uint8Array } = { gte: from };
    try {
      for (;;) {
        const iterator: Cursor = this.#level.iterator({ ...range, lt: to });
        iterators.push(iterator);
        const entries = await iterator.nextv(SCAN_ENTRIES);
        const last = entries.at(-1);
        if (last === undefined) return;
        yield entries;
        range = { gt: last[0] };
      }
    } finally {
      await Promise.all(iterators.map((iterator) => iterator.close()));
    }
  }

  batch(): WriteBatch {
    const batch = this.#level.batch();
    return {
      put: (key, value) => void batch.put(key, value),
      delete: (key) => void batch.del(key),
      write: (options) => batch.write(options),
    };
  }

  write(operations: readonly WriteOperation[], options: WriteOptions): Promise<void> {
    return this.#level.batch(operations as WriteOperation[], options);
  }

  sizeOf({ from, to }: KeyRange): Promise<number> {
    return this.#level.approximateSize(from, to);
  }

  compact({ from, to }: KeyRange): Promise<void> {
    return this.#level.compactRange(from, to);
  }

  close(): Promise<void> {
    return this.#level.close();
  }
}
