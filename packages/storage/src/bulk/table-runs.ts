/**
 * Writes tables whose records each come in the order of their keys so that the engine never merges them: records of one table
 * are collected, and become a file of their own before those of another follow. Files that do not overlap are never
 * read again to be put in order. Nothing is synced but the files; who writes the head after them syncs.
 */
import type { KeyRange, KeyValueStore, WriteBatch } from '../key-value/key-value-store.ts';

/** Less than the engine collects in memory, with what it needs beside the bytes. */
const RUN_BYTES = 32 << 20;
/** No record has such a key: a compaction of it only makes the engine write what it has collected. */
const NOTHING: KeyRange = { from: Uint8Array.of(0), to: Uint8Array.of(0) };

interface Run {
  readonly batch: WriteBatch;
  bytes: number;
}

export class TableRuns {
  readonly #store: KeyValueStore;
  readonly #runBytes: number;
  /** By the prefix of the table. */
  readonly #runs = new Map<number, Run>();
  #writing: Promise<void> = Promise.resolve();

  constructor(store: KeyValueStore, runBytes: number = RUN_BYTES) {
    this.#store = store;
    this.#runBytes = runBytes;
  }

  /** The memory of key and value must stay as it is. */
  put(key: Uint8Array, value: Uint8Array): void {
    const prefix = key[0] as number;
    let run = this.#runs.get(prefix);
    if (run === undefined) {
      run = { batch: this.#store.batch(), bytes: 0 };
      this.#runs.set(prefix, run);
    }
    run.batch.put(key, value);
    run.bytes += key.length + value.length;
  }

  /** Writes what is long enough to be a file. Other threads write while the caller goes on, at most one run at a time. */
  async settle(): Promise<void> {
    for (const [prefix, run] of this.#runs) {
      if (run.bytes < this.#runBytes) continue;
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

  async #write({ batch }: Run): Promise<void> {
    await this.#writing;
    this.#writing = batch.write({ sync: false }).then(() => this.#store.compact(NOTHING));
    // Whoever waits for the next run is told.
    this.#writing.catch(() => {});
  }
}
