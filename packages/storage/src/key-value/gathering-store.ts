/**
 * Keeps the writes of several cuts in memory and hands them to the database in one batch: a node that is far
 * behind would otherwise wait for the disk once a cut. Reads see what is kept as if it were written. What is kept
 * is lost if the process dies, all of it, so the database is always at the end of some whole cut.
 *
 * One caller writes. Without a batch that may wait, everything goes straight to the database.
 */
import { compareBytes } from 'svc-wasm/base';
import { KeptRecords } from './kept-records.ts';
import type {
  BatchOptions,
  DirectRecords,
  Entry,
  KeyRange,
  KeyValueStore,
  RangeOptions,
  ReadOptions,
  WriteBatch,
  WriteOperation,
  WriteOptions,
} from './key-value-store.ts';

/** A record of a range that the database does not have yet; without a value it is deleted there. */
type WaitingEntry = readonly [key: Uint8Array, value: Uint8Array | undefined];

/** Fewer bytes are put one by one: the thread that writes would have to be started or woken for little. */
const PACKED_BYTES_MIN = 1 << 20;

type Append = (key: Uint8Array, value: Uint8Array | undefined) => void;

export class GatheringStore implements KeyValueStore {
  readonly #below: KeyValueStore;
  readonly #kept = new KeptRecords();
  #keptWrites = 0;
  /** The batch that may append. */
  #begun: Append | undefined;

  constructor(below: KeyValueStore) {
    this.#below = below;
  }

  get revision(): number {
    return this.#below.revision + 2 * this.#keptWrites;
  }

  /** About how much memory was filled since the last flush; records that were replaced count, for they share it. */
  get keptBytes(): number {
    return this.#kept.bytes;
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    const kept = this.#kept.find(key);
    return kept === undefined ? this.#below.getSync(key) : this.#kept.value(kept);
  }

  async getMany(
    keys: readonly Uint8Array[],
    options?: ReadOptions,
  ): Promise<(Uint8Array | undefined)[]> {
    if (this.#kept.isEmpty) return this.#below.getMany(keys, options);
    const kept = keys.map((key) => this.#waitingAt(key));
    const others = keys.filter((_, place) => kept[place] === null);
    const records = (await this.#below.getMany(others, options)).values();
    return kept.map((value) => (value === null ? records.next().value : value));
  }

  async range(options: RangeOptions): Promise<Entry[]> {
    const kept = this.#within(options);
    if (kept.length === 0) return this.#below.range(options);
    const { limit, reverse = false } = options;
    const below = await this.#below.range({ ...options, limit: limit + kept.length });
    const merged = merge(reverse ? below.toReversed() : below, kept);
    return (reverse ? merged.reverse() : merged).slice(0, limit);
  }

  /** Ends with an error if something is kept or flushed meanwhile: pieces of the database would no longer go with what was kept. */
  async *scan(range: KeyRange): AsyncIterable<readonly Entry[]> {
    let kept = this.#within(range);
    const { isEmpty } = this.#kept;
    const writes = this.#keptWrites;
    for await (const entries of this.#below.scan(range)) {
      if (writes !== this.#keptWrites || isEmpty !== this.#kept.isEmpty)
        throw new Error('records were kept or flushed during a scan');
      const last = entries.at(-1)?.[0];
      const end = kept.findIndex(([key]) => last === undefined || compareBytes(key, last) > 0);
      const split = end === -1 ? kept.length : end;
      const merged = merge(entries, kept.slice(0, split));
      kept = kept.slice(split);
      if (merged.length > 0) yield merged;
    }
    const rest = merge([], kept);
    if (rest.length > 0) yield rest;
  }

  batch({ mayWait = false }: BatchOptions = {}): WriteBatch {
    if (!mayWait && this.#kept.isEmpty) return this.#below.batch();
    const append = this.#begin();
    return {
      copies: true,
      direct: this.#direct(append),
      put: (key, value) => append(key, value),
      delete: (key) => append(key, undefined),
      write: async () => {
        this.#keep(append);
        if (!mayWait) await this.flush();
      },
    };
  }

  async write(operations: readonly WriteOperation[], options: WriteOptions): Promise<void> {
    if (this.#kept.isEmpty) return this.#below.write(operations, options);
    const append = this.#begin();
    for (const operation of operations)
      append(operation.key, operation.type === 'put' ? operation.value : undefined);
    this.#keep(append);
    await this.flush();
  }

  /** Writes large bodies of blocks whose keys have no pending record: they are durable with the next flush. */
  writeBeside(operations: readonly WriteOperation[]): Promise<void> {
    return this.#below.write(operations, { sync: false, isBeside: true });
  }

  /** Writes what is kept in one batch, on the disk when the promise resolves. */
  async flush(): Promise<void> {
    if (this.#kept.isEmpty) return;
    const batch = this.#below.batch();
    if (batch.putAll !== undefined && this.#kept.bytes >= PACKED_BYTES_MIN)
      batch.putAll(this.#kept.packed());
    else {
      this.#kept.dropSpare();
      this.#putEach(batch);
    }
    const writes = this.#keptWrites;
    await batch.write({ sync: true });
    if (this.#keptWrites !== writes) throw new Error('something was written during another write');
    this.#kept.clear();
    this.#begun = undefined;
  }

  #putEach(batch: WriteBatch): void {
    this.#kept.forEach((record) => {
      const value = this.#kept.value(record);
      if (value === undefined) batch.delete(this.#kept.key(record));
      else batch.put(this.#kept.key(record), value);
    });
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

  /** Begins a batch. An earlier unwritten batch is forgotten and can no longer be written. */
  #begin(): Append {
    this.#kept.forgetAppended();
    const append: Append = (key, value) => {
      if (this.#begun !== append) throw new Error('the batch has ended, or another was begun');
      this.#kept.append(key, value);
    };
    this.#begun = append;
    return append;
  }

  #direct(append: Append): DirectRecords {
    const kept = this.#kept;
    const expectBegun = (): void => {
      if (this.#begun !== append) throw new Error('the batch has ended, or another was begun');
    };
    return {
      packer: kept.packer,
      endKey: () => kept.endKey(),
      endPut: () => {
        expectBegun();
        kept.endPut();
      },
      endDelete: () => {
        expectBegun();
        kept.endDelete();
      },
    };
  }

  #keep(append: Append): void {
    if (this.#begun !== append) throw new Error('the batch has ended, or another was begun');
    this.#begun = undefined;
    this.#keptWrites++;
    this.#kept.keepAppended();
  }

  /** The pending value of a key: undefined if it is to be deleted, null if nothing is pending. */
  #waitingAt(key: Uint8Array): Uint8Array | undefined | null {
    const record = this.#kept.find(key);
    return record === undefined ? null : this.#kept.value(record);
  }

  /** What is kept of a range, in order. */
  #within({ from, to }: KeyRange): WaitingEntry[] {
    const found: WaitingEntry[] = [];
    this.#kept.forEach((record) => {
      const key = this.#kept.key(record);
      if (compareBytes(key, from) >= 0 && compareBytes(key, to) < 0)
        found.push([key, this.#kept.value(record)]);
    });
    return found.sort(([a], [b]) => compareBytes(a, b));
  }
}

/** Both in ascending order; what is kept counts where a key is in both. */
function merge(entries: readonly Entry[], kept: readonly WaitingEntry[]): Entry[] {
  const merged: Entry[] = [];
  let at = 0;
  for (const [key, value] of kept) {
    for (; at < entries.length; at++) {
      const entry = entries[at] as Entry;
      const order = compareBytes(entry[0], key);
      if (order < 0) merged.push(entry);
      else if (order > 0) break;
    }
    if (value !== undefined) merged.push([key, value]);
  }
  return merged.concat(entries.slice(at));
}
