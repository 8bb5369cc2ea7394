/**
 * The table files that a store was opened with, as far as their blocks have not been checked since. The engine reads
 * blocks without looking at their checksums: a corrupt key or deletion would hide a record, or bring an older one back
 * with a right checksum. So each block is checked before the first answer that may depend on it, and all others in the
 * background.
 *
 * What a compaction writes comes from these files or from memory. Files stay open here until all their blocks were
 * checked, so corruption is found also where a compaction has given it a fresh checksum.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreDamagedError } from '../errors.ts';
import type { UncheckedTable } from './unchecked-table.ts';

/** Tables of the first level have keys in common, those of each other level follow one another. */
const LEVELS = 7;
/** Half a millisecond of work, then a pause: about 12 MB a second, 10 GB in a quarter of an hour. */
const TURN_BYTES = 256 << 10;
const PAUSE_MILLIS = 20;
/** Indexes that are kept in memory, those of about 12 GB of small records. */
const INDEX_BYTES_MAX = 128 << 20;

export class UncheckedTables {
  /** By level, in the order of their first keys. */
  #levels: readonly UncheckedTable[][];
  #indexBytes = 0;
  #count: number;

  constructor(tables: readonly UncheckedTable[]) {
    this.#levels = Array.from({ length: LEVELS }, (_, level) =>
      tables.filter((table) => table.level === level).sort((a, b) => a.compareFirst(b)),
    );
    this.#count = tables.length;
  }

  /** Whether nothing is left to check, or the check was closed. */
  get isDone(): boolean {
    return this.#count === 0;
  }

  /** Throws `StoreDamagedError` if a block that may hold keys from the first to the last is not what was written. */
  expectSound(first: Uint8Array, last: Uint8Array): void {
    if (this.isDone) return;
    for (const [level, tables] of this.#levels.entries()) {
      const reaching = level === 0 ? 0 : firstReaching(tables, first);
      for (let at = reaching; at < tables.length; ) {
        const table = tables[at] as UncheckedTable;
        if (table.compareWith(last) > 0) break;
        if (table.compareWith(first) >= 0) this.#within(table, () => table.check(first, last));
        if (!table.isChecked) at++;
      }
    }
  }

  /** Checks what is left in the background. Resolves with the damage that was found, if any. */
  async checkRest(): Promise<StoreDamagedError | undefined> {
    try {
      for (let table = this.#any(); table !== undefined; table = this.#any())
        await this.#checkSlowly(table);
      return undefined;
    } catch (error) {
      if (error instanceof StoreDamagedError) return error;
      throw error;
    }
  }

  close(): void {
    for (const table of this.#levels.flat()) table.close();
    this.#levels = [];
    this.#count = 0;
  }

  #any(): UncheckedTable | undefined {
    return this.#levels.find((tables) => tables.length > 0)?.[0];
  }

  async #checkSlowly(table: UncheckedTable): Promise<void> {
    while (!this.isDone && !table.isChecked) {
      this.#within(table, () => table.checkSome(TURN_BYTES));
      await sleep(PAUSE_MILLIS, undefined, { ref: false });
    }
  }

  /** Works on a table and closes it when all of it is checked. */
  #within(table: UncheckedTable, check: () => void): void {
    const before = table.indexBytes;
    check();
    this.#indexBytes += table.indexBytes - before;
    if (table.isChecked) this.#remove(table);
    else if (this.#indexBytes > INDEX_BYTES_MAX) this.#forgetIndexes();
  }

  #remove(table: UncheckedTable): void {
    const tables = this.#levels[table.level] as UncheckedTable[];
    tables.splice(tables.indexOf(table), 1);
    this.#indexBytes -= table.indexBytes;
    this.#count--;
    table.close();
  }

  #forgetIndexes(): void {
    for (const table of this.#levels.flat()) table.forgetIndex();
    this.#indexBytes = 0;
  }
}

/** The index of the first table, in the order of keys, that does not end before the key. */
function firstReaching(tables: readonly UncheckedTable[], key: Uint8Array): number {
  let low = 0;
  let high = tables.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tables[middle] as UncheckedTable).compareWith(key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
