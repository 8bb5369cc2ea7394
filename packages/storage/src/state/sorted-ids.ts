/**
 * A set of identifiers in ascending order, read a page at a time.
 */
import type { Identifier } from 'svc-ledger';

export class SortedIds {
  readonly #ids: Identifier[] = [];

  get size(): number {
    return this.#ids.length;
  }

  set(id: Identifier, present: boolean): void {
    const at = this.#placeOf(id);
    const found = this.#ids[at] === id;
    if (present && !found) this.#ids.splice(at, 0, id);
    if (!present && found) this.#ids.splice(at, 1);
  }

  /** Ids above `after`, at most `limit`. */
  page(after: Identifier | null, limit: number): Identifier[] {
    let start = after === null ? 0 : this.#placeOf(after);
    if (after !== null && this.#ids[start] === after) start++;
    return this.#ids.slice(start, start + limit);
  }

  /** The index of the first id that is not below this one. */
  #placeOf(id: Identifier): number {
    let low = 0;
    let high = this.#ids.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ids[middle] as Identifier) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
