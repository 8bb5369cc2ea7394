/**
 * Buckets and balances of trees that are further than the database. It is not for long: they are written when a group of cuts ends.
 */
import type { AddressBalance } from './balances.ts';

export interface TreeWrite {
  readonly tree: number;
  readonly name: Uint8Array;
  /** Absent: the record is deleted. */
  readonly record: Uint8Array | undefined;
}

/** Buckets and balances, later ones in place of earlier ones. */
export interface TreeWrites {
  readonly buckets: readonly TreeWrite[];
  readonly balances: readonly AddressBalance[];
}

export class UnwrittenTrees implements TreeWrites {
  readonly buckets: TreeWrite[] = [];
  readonly balances: AddressBalance[] = [];
  /** Records by name, of the first `#named` buckets: most are never looked up. */
  readonly #records = new Map<string, Uint8Array | undefined>();
  #named = 0;

  add(buckets: readonly TreeWrite[], balances: readonly AddressBalance[]): void {
    for (const bucket of buckets) this.buckets.push(bucket);
    for (const balance of balances) this.balances.push(balance);
  }

  /** The record of a bucket that is not written yet. */
  find(tree: number, name: Uint8Array): Uint8Array | undefined {
    for (; this.#named < this.buckets.length; this.#named++) {
      const write = this.buckets[this.#named] as TreeWrite;
      this.#records.set(nameOf(write.tree, write.name), write.record);
    }
    return this.#records.size === 0 ? undefined : this.#records.get(nameOf(tree, name));
  }

  clear(): void {
    this.buckets.length = 0;
    this.balances.length = 0;
    this.#records.clear();
    this.#named = 0;
  }
}

function nameOf(tree: number, name: Uint8Array): string {
  return `${tree} ${Buffer.from(name.buffer, name.byteOffset, name.byteLength).toString('latin1')}`;
}
