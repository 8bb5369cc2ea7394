/**
 * The engine with a check of the blocks that an answer came out of, once for each block that was on the disk when the
 * store was opened. A read is made first, so that the check finds the block in memory, and its answer is returned
 * only if all blocks are sound that it may depend on.
 *
 * Scans of tree buckets are left out: the loader of trees compares the root of all buckets with that of the head.
 */
import { LAYOUT } from '../layout.ts';
import type { UncheckedTables } from '../open/unchecked-tables.ts';
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

export class BlockCheckedStore implements KeyValueStore {
  readonly #below: KeyValueStore;
  readonly #unchecked: UncheckedTables;
  readonly #checkTables: (range: KeyRange) => Promise<void>;

  /** `checkTables` checks what a compaction of a range will read, whenever that was checked before. */
  constructor(
    below: KeyValueStore,
    unchecked: UncheckedTables,
    checkTables: (range: KeyRange) => Promise<void>,
  ) {
    this.#below = below;
    this.#unchecked = unchecked;
    this.#checkTables = checkTables;
  }

  get revision(): number {
    return this.#below.revision;
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    const record = this.#below.getSync(key);
    this.#unchecked.expectSound(key, key);
    return record;
  }

  async getMany(
    keys: readonly Uint8Array[],
    options?: ReadOptions,
  ): Promise<(Uint8Array | undefined)[]> {
    const records = await this.#below.getMany(keys, options);
    if (!this.#unchecked.isDone) for (const key of keys) this.#unchecked.expectSound(key, key);
    return records;
  }

  /** What follows the last entry was not read if there are as many as were requested. */
  async range(options: RangeOptions): Promise<Entry[]> {
    const entries = await this.#below.range(options);
    const { from, to, limit, reverse = false } = options;
    const end = entries.length < limit ? undefined : entries.at(-1)?.[0];
    if (reverse) this.#unchecked.expectSound(end ?? from, to);
    else this.#unchecked.expectSound(from, end ?? to);
    return entries;
  }

  async *scan(range: KeyRange): AsyncIterable<readonly Entry[]> {
    if (isOfBuckets(range)) return yield* this.#below.scan(range);
    let { from } = range;
    for await (const entries of this.#below.scan(range)) {
      const last = entries.at(-1)?.[0] ?? from;
      this.#unchecked.expectSound(from, last);
      from = last;
      yield entries;
    }
    this.#unchecked.expectSound(from, range.to);
  }

  batch(): WriteBatch {
    return this.#below.batch();
  }

  write(operations: readonly WriteOperation[], options: WriteOptions): Promise<void> {
    return this.#below.write(operations, options);
  }

  sizeOf(range: KeyRange): Promise<number> {
    return this.#below.sizeOf(range);
  }

  /** A compaction gives corrupt bytes a fresh checksum, so the blocks that it will read are checked before it. */
  async compact(range: KeyRange): Promise<void> {
    this.#unchecked.expectSound(range.from, range.to);
    await this.#checkTables(range);
    await this.#below.compact(range);
  }

  async close(): Promise<void> {
    this.#unchecked.close();
    await this.#below.close();
  }
}

function isOfBuckets({ from, to }: KeyRange): boolean {
  const { prefix } = LAYOUT.buckets;
  return from[0] === prefix && (to[0] === prefix || (to[0] === prefix + 1 && to.length === 1));
}
