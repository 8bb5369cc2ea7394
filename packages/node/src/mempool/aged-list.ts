/**
 * Entries in the order they came. One that is gone stays in its place until a quarter of the list is gone, so
 * that leaving costs little and every other entry keeps its place meanwhile.
 */
import type { PoolEntry } from './pool-entry.ts';

const COMPACTED_FROM = 64;

export class AgedList {
  #entries: PoolEntry[] = [];
  #gone = 0;
  #first = 0;

  /** How many wait. */
  get size(): number {
    return this.#entries.length - this.#gone;
  }

  /** How many places there are, those of entries that are gone included. */
  get places(): number {
    return this.#entries.length;
  }

  at(place: number): PoolEntry | undefined {
    const entry = this.#entries[place];
    return entry === undefined || entry.isGone ? undefined : entry;
  }

  /** It came after all that are here. */
  push(entry: PoolEntry): void {
    this.#entries.push(entry);
  }

  /** To be told of each entry of the list that has gone. */
  noteGone(): void {
    this.#gone++;
    while (this.#entries.at(-1)?.isGone) {
      this.#entries.pop();
      this.#gone--;
    }
    if (this.#entries.length < COMPACTED_FROM || 4 * this.#gone < this.#entries.length) return;
    this.#entries = this.#entries.filter((entry) => !entry.isGone);
    this.#gone = 0;
    this.#first = 0;
  }

  /** The one that came first of those that are wanted. */
  oldest(isWanted: (entry: PoolEntry) => boolean): PoolEntry | undefined {
    this.#first = Math.min(this.#first, this.#entries.length);
    while (this.#entries[this.#first]?.isGone) this.#first++;
    for (let place = this.#first; place < this.#entries.length; place++) {
      const entry = this.at(place);
      if (entry !== undefined && isWanted(entry)) return entry;
    }
    return undefined;
  }

  /** The first place whose entry came after a time; all before it came at that time or earlier. */
  placeAfter(millis: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle] as PoolEntry).receivedAtMillis <= millis) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  *[Symbol.iterator](): Generator<PoolEntry, void> {
    for (const entry of this.#entries) if (!entry.isGone) yield entry;
  }

  *newestFirst(): Generator<PoolEntry, void> {
    for (let place = this.#entries.length - 1; place >= 0; place--) {
      const entry = this.at(place);
      if (entry !== undefined) yield entry;
    }
  }
}
