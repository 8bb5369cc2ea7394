/**
 * What a damaged database may have lost: ranges of keys, and by them the tables that cannot be believed any more. A
 * table in which a newer version of a record was lost may show an older one, or one that was deleted.
 */
import { LAYOUT, rangeOf, type StoreTable } from '../layout.ts';
import type { Loss } from './versions.ts';

/** No key of the store is longer. */
const KEY_BYTES_MAX = 128;

export class Losses {
  readonly #losses: Loss[] = [];

  add(loss: Loss): void {
    this.#losses.push(loss);
  }

  /** A record of the table is wrong; its key may be wrong too. */
  addTable(table: StoreTable, reason: string): void {
    const { from } = rangeOf(table);
    const to = new Uint8Array(KEY_BYTES_MAX).fill(0xff);
    to[0] = LAYOUT[table].prefix;
    if (!this.has(table)) this.add({ from, to, reason });
  }

  get isEmpty(): boolean {
    return this.#losses.length === 0;
  }

  /** Whether a record of the table may be lost. */
  has(table: StoreTable): boolean {
    const { from, to } = rangeOf(table);
    return this.#losses.some(
      (loss) => Buffer.compare(loss.from, to) < 0 && Buffer.compare(loss.to, from) >= 0,
    );
  }

  /** Whether the record with this key may be lost. */
  covers(key: Uint8Array): boolean {
    return this.#losses.some(
      ({ from, to }) => Buffer.compare(from, key) <= 0 && Buffer.compare(key, to) <= 0,
    );
  }

  get tables(): StoreTable[] {
    return (Object.keys(LAYOUT) as StoreTable[]).filter((table) => this.has(table));
  }

  get reasons(): string[] {
    return this.#losses.map(({ reason }) => reason);
  }
}
