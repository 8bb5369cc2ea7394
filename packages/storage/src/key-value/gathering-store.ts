/**
 * Keeps the writes of several cuts in memory and hands them to the database in one batch: a node that is far
 * behind would otherwise wait for the disk once a cut. Reads see what is kept as if it were written. What is kept
 * is lost if the process dies, all of it, so the database is always at the end of some whole cut.
 *
 * One caller writes. Without a batch that may wait, everything goes straight to the database.
 */
import { compareBytes } from 'svc-wasm/base';
import type {
  BatchOptions,
  Entry,
  KeyRange,
  KeyValueStore,
  RangeOptions,
  WriteBatch,
  WriteOperation,
} from './key-value-store.ts';

/** A record that the database does not have yet; without a value it is deleted there. */
interface KeptRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** What one record costs in memory beside its bytes. */
const RECORD_BYTES = 128;

export class GatheringStore implements KeyValueStore {
  readonly #below: KeyValueStore;
  /** By the first byte of the key, which is its table, so that a range looks at one table. */
  readonly #kept = new Map<number, Map<string, KeptRecord>>();
  #keptBytes = 0;
  #keptWrites = 0;

  constructor(below: KeyValueStore) {
    this.#below = below;
  }

  get revision(): number {
    return this.#below.revision + 2 * this.#keptWrites;
  }

  /** About how much memory was filled since the last flush; records that were replaced count, for they share it. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    const kept = this.#find(key);
    return kept === undefined ? this.#below.getSync(key) : kept.value;
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    if (this.#kept.size === 0) return this.#below.getMany(keys);
    const kept = keys.map((key) => this.#find(key));
    const others = keys.filter((_, place) => kept[place] === undefined);
    const records = (await this.#below.getMany(others)).values();
    return kept.map((record) => (record === undefined ? records.next().value : record.value));
  }

  async range(options: RangeOptions): Promise<Entry[]> {
    const kept = this.#within(options);
    if (kept.length === 0) return this.#below.range(options);
    const { limit, reverse = false } = options;
    const below = await this.#below.range({ ...options, limit: limit + kept.length });
    const merged = merge(reverse ? below.toReversed() : below, kept);
    return (reverse ? merged.reverse() : merged).slice(0, limit);
  }

  async *scan(range: KeyRange): AsyncIterable<readonly Entry[]> {
    let kept = this.#within(range);
    for await (const entries of this.#below.scan(range)) {
      const last = entries.at(-1)?.[0];
      const end = kept.findIndex(({ key }) => last === undefined || compareBytes(key, last) > 0);
      const split = end === -1 ? kept.length : end;
      const merged = merge(entries, kept.slice(0, split));
      kept = kept.slice(split);
      if (merged.length > 0) yield merged;
    }
    const rest = merge([], kept);
    if (rest.length > 0) yield rest;
  }

  batch({ mayWait = false }: BatchOptions = {}): WriteBatch {
    if (!mayWait && this.#kept.size === 0) return this.#below.batch();
    const records: KeptRecord[] = [];
    return {
      put: (key, value) => void records.push({ key, value }),
      delete: (key) => void records.push({ key, value: undefined }),
      write: async () => {
        this.#keep(records);
        if (!mayWait) await this.flush();
      },
    };
  }

  async write(
    operations: readonly WriteOperation[],
    options: { readonly sync: boolean },
  ): Promise<void> {
    if (this.#kept.size === 0) return this.#below.write(operations, options);
    this.#keep(
      operations.map((operation) => ({
        key: operation.key,
        value: operation.type === 'put' ? operation.value : undefined,
      })),
    );
    await this.flush();
  }

  /** Writes what is kept in one batch, on the disk when the promise resolves. */
  async flush(): Promise<void> {
    if (this.#kept.size === 0) return;
    const batch = this.#below.batch();
    for (const records of this.#kept.values())
      for (const { key, value } of records.values())
        if (value === undefined) batch.delete(key);
        else batch.put(key, value);
    const writes = this.#keptWrites;
    await batch.write({ sync: true });
    if (this.#keptWrites !== writes) throw new Error('something was written during another write');
    this.#kept.clear();
    this.#keptBytes = 0;
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

  #keep(records: readonly KeptRecord[]): void {
    this.#keptWrites++;
    for (const record of records) {
      const { key, value } = record;
      this.#keptBytes += RECORD_BYTES + key.length + (value?.length ?? 0);
      this.#tableOf(key[0] as number).set(nameOf(key), record);
    }
  }

  #tableOf(prefix: number): Map<string, KeptRecord> {
    const known = this.#kept.get(prefix);
    if (known !== undefined) return known;
    const made = new Map<string, KeptRecord>();
    this.#kept.set(prefix, made);
    return made;
  }

  #find(key: Uint8Array): KeptRecord | undefined {
    const table = this.#kept.get(key[0] as number);
    return table?.get(nameOf(key));
  }

  /** What is kept of a range, in order. */
  #within({ from, to }: KeyRange): KeptRecord[] {
    const found: KeptRecord[] = [];
    for (const [prefix, records] of this.#kept) {
      if (prefix < (from[0] ?? 0) || prefix > (to[0] ?? 0)) continue;
      for (const record of records.values())
        if (compareBytes(record.key, from) >= 0 && compareBytes(record.key, to) < 0)
          found.push(record);
    }
    return found.sort((a, b) => compareBytes(a.key, b.key));
  }
}

/** Both in ascending order; what is kept counts where a key is in both. */
function merge(entries: readonly Entry[], kept: readonly KeptRecord[]): Entry[] {
  const merged: Entry[] = [];
  let at = 0;
  for (const { key, value } of kept) {
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

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}
