/**
 * The wallet's addresses in memory, for matching the changes of a cut: looking up each in the database would
 * cost more than reading the cut.
 */
import type { Addresses } from '../state/addresses.ts';

const LOADED_AT_ONCE = 10_000;
const SYMBOLS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const VALUES = new Map(Array.from(SYMBOLS, (symbol, at) => [symbol, at]));
/** So many symbols behind the one of the type are the first bytes of the hash. */
const PREFIX_SYMBOLS = 8;
const PREFIX_BYTES = 5;

export class AddressBook {
  readonly #ids = new Map<string, number>();
  /** The first bytes of the hash of each address. */
  readonly #prefixes = new Set<number>();

  constructor(addresses: Addresses) {
    for (let after = 0; ; after += LOADED_AT_ONCE) {
      const { firstId, texts } = addresses.listTexts(after, LOADED_AT_ONCE);
      for (const [at, address] of texts.entries()) this.add(address, firstId + at);
      if (texts.length < LOADED_AT_ONCE) return;
    }
  }

  get size(): number {
    return this.#ids.size;
  }

  idOf(address: string): number | undefined {
    return this.#ids.get(address);
  }

  /** Whether an address in bytes may be one of them; a text costs many times as much to make. */
  mayHave(address: Uint8Array): boolean {
    let prefix = 0;
    for (let at = 1; at <= PREFIX_BYTES; at++) prefix = prefix * 256 + (address[at] as number);
    return this.#prefixes.has(prefix);
  }

  add(address: string, id: number): void {
    this.#ids.set(address, id);
    const first = address.lastIndexOf('1') + 2;
    let prefix = 0;
    for (let at = first; at < first + PREFIX_SYMBOLS; at++)
      prefix = prefix * 32 + (VALUES.get(address[at] as string) ?? 0);
    this.#prefixes.add(prefix);
  }
}
