/**
 * The database on LevelDB. One thread of one process reads it, because `ReadGate` has to know of every read; a second one
 * may write for it what is large.
 * Compression is off: most of what is stored are hashes. A chained batch takes a third of the time that an
 * array of operations does.
 */
import { ClassicLevel } from 'classic-level';
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
import type { PackedRecords } from './packed-records.ts';
import { ReadGate } from './read-gate.ts';
import { limitMappings } from './unmapped-tables.ts';
import { WriterThread } from './writer-thread.ts';

type Level = ClassicLevel<Uint8Array, Uint8Array>;

const SCAN_ENTRIES = 4_096;
const SCAN_BYTES = 4 << 20;
const OPEN_FILES_MAX = 4_000;
const CACHE_BYTES = 64 << 20;
/** A random read takes half as long again if it fills the cache, and takes others out of it. */
const UNCACHED = { fillCache: false };

export interface LevelOptions {
  /** Bytes of the cache of blocks. */
  readonly cacheBytes?: number;
  readonly createIfMissing?: boolean;
  /** Bytes of writes that are collected in memory, and of one file; tests make them small. */
  readonly writeBufferBytes?: number;
  readonly fileBytes?: number;
  /**
   * Lets a thread write batches of many records. The engine then excludes no other user in this process: the caller must.
   */
  readonly hasWriter?: boolean;
}

/** A batch that the writing thread will write: many records, and after them some others. */
interface HandedBatch {
  readonly records: PackedRecords;
  readonly others: WriteOperation[];
}

/** Whether tables are read without mappings; undefined before that is decided. */
let isUnmapped: boolean | undefined;

/**
 * Lets the engine read the tables of all databases instead of mapping them, if none was opened before; false if it maps
 * them. It concerns the whole process, so that only programs call it, at their start.
 */
export function readTablesUnmapped(): boolean {
  isUnmapped ??= limitMappings();
  return isUnmapped;
}

export class LevelStore implements KeyValueStore {
  readonly #level: Level;
  readonly #gate = new ReadGate();
  readonly #writer: WriterThread | undefined;

  private constructor(level: Level, writer: WriterThread | undefined) {
    this.#level = level;
    this.#writer = writer;
  }

  static async open(directory: string, options: LevelOptions = {}): Promise<LevelStore> {
    isUnmapped ??= false;
    const level: Level = new ClassicLevel(directory, {
      keyEncoding: 'view',
      valueEncoding: 'view',
    });
    const { hasWriter = false } = options;
    await level.open({
      multithreading: hasWriter,
      createIfMissing: options.createIfMissing ?? true,
      compression: false,
      cacheSize: options.cacheBytes ?? CACHE_BYTES,
      writeBufferSize: options.writeBufferBytes ?? 64 << 20,
      maxFileSize: options.fileBytes ?? 16 << 20,
      maxOpenFiles: OPEN_FILES_MAX,
    });
    const writer = hasWriter ? new WriterThread(level.location) : undefined;
    return new LevelStore(level, writer);
  }

  get revision(): number {
    return this.#gate.revision;
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    return this.#level.getSync(key);
  }

  getMany(
    keys: readonly Uint8Array[],
    { isOnce = false }: ReadOptions = {},
  ): Promise<(Uint8Array | undefined)[]> {
    return this.#gate.read(() =>
      isOnce
        ? this.#level.getMany(keys as Uint8Array[], UNCACHED)
        : this.#level.getMany(keys as Uint8Array[]),
    );
  }

  range({ from, to, limit, reverse = false }: RangeOptions): Promise<Entry[]> {
    return this.#gate.read(async () => {
      const iterator = this.#iterator({ from, to }, { limit, reverse });
      try {
        return await iterator.all();
      } finally {
        await iterator.close();
      }
    });
  }

  /** The next piece is read by another thread while the caller works on this one. */
  async *scan({ from, to }: KeyRange): AsyncIterable<readonly Entry[]> {
    let reading = this.#piece({ from, to });
    try {
      for (;;) {
        const entries = await reading;
        const last = entries.at(-1);
        if (last === undefined) return;
        reading = this.#piece({ from: keyBehind(last[0]), to });
        yield entries;
      }
    } finally {
      await reading.catch(() => {});
    }
  }

  #piece(range: KeyRange): Promise<Entry[]> {
    return this.#gate.read(async () => {
      const iterator = this.#iterator(range, { fillCache: false });
      try {
        const entries = await iterator.nextv(SCAN_ENTRIES);
        // The binding keeps a copy of what an iterator read last until the iterator is collected as garbage: one entry, not megabytes.
        await iterator.nextv(1);
        return entries;
      } finally {
        await iterator.close();
      }
    });
  }

  #iterator(
    { from, to }: KeyRange,
    options: { limit?: number; reverse?: boolean; fillCache?: boolean },
  ) {
    const highWaterMarkBytes = SCAN_BYTES;
    return this.#level.iterator({ gte: from, lt: to, highWaterMarkBytes, ...options });
  }

  batch(): WriteBatch {
    const writer = this.#writer;
    const batch = this.#level.batch();
    let handed: HandedBatch | undefined;
    return {
      copies: true,
      putAll:
        writer &&
        ((records) => {
          if (batch.length > 0 || handed !== undefined) throw new Error('the batch has begun');
          handed = { records, others: [] };
        }),
      put: (key, value) => {
        if (handed === undefined) batch.put(key, value);
        else handed.others.push({ type: 'put', key: key.slice(), value: value.slice() });
      },
      delete: (key) => {
        if (handed === undefined) batch.del(key);
        else handed.others.push({ type: 'del', key: key.slice() });
      },
      write: async (options) => {
        const { records, others } = handed ?? {};
        if (writer === undefined || records === undefined || others === undefined)
          return await this.#gate.write(() => batch.write(options));
        await batch.close();
        await this.#gate.write(() => writer.write(records, others, options));
      },
    };
  }

  write(operations: readonly WriteOperation[], options: WriteOptions): Promise<void> {
    const batch = this.batch();
    for (const operation of operations) {
      if (operation.type === 'put') batch.put(operation.key, operation.value);
      else batch.delete(operation.key);
    }
    return batch.write(options);
  }

  sizeOf({ from, to }: KeyRange): Promise<number> {
    return this.#level.approximateSize(from, to);
  }

  compact({ from, to }: KeyRange): Promise<void> {
    return this.#gate.compact(() => this.#level.compactRange(from, to));
  }

  async close(): Promise<void> {
    await this.#writer?.close();
    await this.#level.close();
  }
}

/** The first key after this one. */
function keyBehind(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1);
  next.set(key);
  return next;
}
