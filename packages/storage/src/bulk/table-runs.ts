/**
 * Writes tables whose records each come in the order of their keys so that the engine never merges them: records of one table
 * are collected, and become a file of their own before those of another follow. Files that do not overlap are never
 * read again to be put in order. Nothing is synced but the files; call `bringToFiles` before a head is written after them.
 *
 * Records wait as bytes in memory that is used again, and reach the engine in small batches: the memory of a batch is freed
 * when the batch is collected as garbage, which happens late to large and long-lived ones.
 */
import type { KeyRange, KeyValueStore } from '../key-value/key-value-store.ts';
import { IntegerList } from '../tree/growing.ts';

/** As many as a file of the engine usually has, and less than it collects in memory. */
const RUN_BYTES = 16 << 20;
const BATCH_BYTES = 1 << 20;
/** No record has such a key: compacting it only makes the engine write its memory to files. */
const NOTHING: KeyRange = { from: Uint8Array.of(0), to: Uint8Array.of(0) };

/**
 * Makes the engine write its memory into files, which it syncs. A synced write alone would not do: the engine
 * syncs the log that it writes to, and may have ended another before.
 */
export async function bringToFiles(store: KeyValueStore): Promise<void> {
  await store.compact(NOTHING);
}

/** Records one after another, and the lengths of key and value of each. */
class Run {
  readonly #lengths = new IntegerList();
  #memory: Uint8Array;
  used = 0;

  constructor(bytes: number) {
    this.#memory = new Uint8Array(bytes);
  }

  add(key: Uint8Array, value: Uint8Array): void {
    const end = this.used + key.length + value.length;
    if (end > this.#memory.length) {
      const memory = new Uint8Array(2 * end);
      memory.set(this.#memory);
      this.#memory = memory;
    }
    this.#memory.set(key, this.used);
    this.#memory.set(value, this.used + key.length);
    this.#lengths.push(key.length);
    this.#lengths.push(value.length);
    this.used = end;
  }

  clear(): void {
    this.#lengths.clear();
    this.used = 0;
  }

  async writeTo(store: KeyValueStore): Promise<void> {
    const { items, length } = this.#lengths;
    let batch = store.batch();
    let batchFrom = 0;
    for (let entry = 0, at = 0; entry < length; entry += 2) {
      const valueAt = at + (items[entry] as number);
      const end = valueAt + (items[entry + 1] as number);
      batch.put(this.#memory.subarray(at, valueAt), this.#memory.subarray(valueAt, end));
      at = end;
      if (at - batchFrom < BATCH_BYTES) continue;
      await batch.write({ sync: false });
      batch = store.batch();
      batchFrom = at;
    }
    await batch.write({ sync: false });
  }
}

export class TableRuns {
  readonly #store: KeyValueStore;
  readonly #runBytes: number;
  /** By the prefix of the table. */
  readonly #runs = new Map<number, Run>();
  readonly #unused: Run[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(store: KeyValueStore, runBytes: number = RUN_BYTES) {
    this.#store = store;
    this.#runBytes = runBytes;
  }

  /** Copies key and value. */
  put(key: Uint8Array, value: Uint8Array): void {
    const prefix = key[0] as number;
    let run = this.#runs.get(prefix);
    if (run === undefined) {
      run = this.#unused.pop() ?? new Run(this.#runBytes + BATCH_BYTES);
      this.#runs.set(prefix, run);
    }
    run.add(key, value);
  }

  /** Writes runs that are long enough for a file. The caller continues meanwhile; at most one run is being written. */
  async settle(): Promise<void> {
    for (const [prefix, run] of this.#runs) {
      if (run.used < this.#runBytes) continue;
      this.#runs.delete(prefix);
      await this.#write(run);
    }
  }

  /** Writes everything; the runs can be used again. */
  async finish(): Promise<void> {
    for (const run of this.#runs.values()) await this.#write(run);
    this.#runs.clear();
    await this.#writing;
  }

  async #write(run: Run): Promise<void> {
    await this.#writing;
    this.#writing = this.#writeFile(run);
    // The next run gets the error.
    this.#writing.catch(() => {});
  }

  async #writeFile(run: Run): Promise<void> {
    await run.writeTo(this.#store);
    await bringToFiles(this.#store);
    run.clear();
    this.#unused.push(run);
  }
}
