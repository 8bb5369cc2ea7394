/**
 * The wallet's addresses in memory, for matching the changes of a cut: looking up each in the database would
 * cost more than reading the cut.
 */
import type { Addresses } from '../state/addresses.ts';

const LOADED_AT_ONCE = 10_000;

export class AddressBook {
  readonly #ids = new Map<string, number>();

  constructor(addresses: Addresses) {
    for (let after = 0; ; ) {
      const some = addresses.references(after, LOADED_AT_ONCE);
      const last = some.at(-1);
      if (last === undefined) return;
      for (const { id, address } of some) this.#ids.set(address, id);
      after = last.id;
    }
  }

  get size(): number {
    return this.#ids.size;
  }

  idOf(address: string): number | undefined {
    return this.#ids.get(address);
  }

  add(address: string, id: number): void {
    this.#ids.set(address, id);
  }

  all(): IterableIterator<string> {
    return this.#ids.keys();
  }
}
