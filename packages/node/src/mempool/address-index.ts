/**
 * Which waiting transactions spend from or pay to an address. Most addresses have one, which is then kept
 * without a set around it.
 */
import { BURN_ADDRESS } from 'svc-ledger';
import type { PoolEntry } from './pool-entry.ts';

export class AddressIndex {
  readonly #entries = new Map<string, PoolEntry | Set<PoolEntry>>();

  add(entry: PoolEntry): void {
    for (const address of addressesOf(entry)) {
      const known = this.#entries.get(address);
      if (known === undefined) this.#entries.set(address, entry);
      else if (known instanceof Set) known.add(entry);
      else this.#entries.set(address, new Set([known, entry]));
    }
  }

  remove(entry: PoolEntry): void {
    for (const address of addressesOf(entry)) {
      const known = this.#entries.get(address);
      if (known === entry) this.#entries.delete(address);
      if (!(known instanceof Set)) continue;
      known.delete(entry);
      if (known.size === 0) this.#entries.delete(address);
    }
  }

  touching(address: string): readonly PoolEntry[] {
    const known = this.#entries.get(address);
    if (known === undefined) return [];
    return known instanceof Set ? [...known] : [known];
  }
}

function addressesOf({ spent, transaction }: PoolEntry): Set<string> {
  const addresses = new Set<string>();
  for (const { address } of spent) addresses.add(address);
  for (const { address } of transaction.outputs) addresses.add(address);
  addresses.delete(BURN_ADDRESS);
  return addresses;
}
