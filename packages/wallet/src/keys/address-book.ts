/**
 * The wallet's addresses in memory, for matching the changes of a cut: looking up each in the database would
 * cost more than reading the cut.
 */
import type { Addresses } from '../state/addresses.ts';

const LOADED_AT_ONCE = 10_000;

export class AddressBook {
  readonly #ids = new Map<string, number>();

  constructor(addresses: Addresses) {
    for (let after = 0; ; after += LOADED_AT_ONCE) {
      const { firstId, texts } = addresses.listTexts(after, LOADED_AT_ONCE);
      for (const [at, address] of texts.entries()) this.#ids.set(address, firstId + at);
      if (texts.length < LOADED_AT_ONCE) return;
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
}
