/**
 * Which waiting transactions spend from or pay to an address. Most addresses have one, which is then kept
 * without a set around it.
 */
import type { TransactionOutput } from 'svc-ledger';
import type { PoolEntry } from './pool-entry.ts';

export class AddressIndex {
  readonly #entries = new Map<string, PoolEntry | Set<PoolEntry>>();

  add(entry: PoolEntry): void {
    for (const output of entry.spent) this.#addOne(output, entry);
    for (const output of entry.transaction.outputs) this.#addOne(output, entry);
  }

  remove(entry: PoolEntry): void {
    for (const output of entry.spent) this.#removeOne(output, entry);
    for (const output of entry.transaction.outputs) this.#removeOne(output, entry);
  }

  touching(address: string): readonly PoolEntry[] {
    const known = this.#entries.get(address);
    if (known === undefined) return [];
    return known instanceof Set ? [...known] : [known];
  }

  #addOne({ address }: TransactionOutput, entry: PoolEntry): void {
    const known = this.#entries.get(address);
    if (known === undefined) this.#entries.set(address, entry);
    else if (known instanceof Set) known.add(entry);
    else if (known !== entry) this.#entries.set(address, new Set([known, entry]));
  }

  #removeOne({ address }: TransactionOutput, entry: PoolEntry): void {
    const known = this.#entries.get(address);
    if (known instanceof Set) known.delete(entry);
    if (known === entry || (known instanceof Set && known.size === 0))
      this.#entries.delete(address);
  }
}
