/**
 * Buckets and balances of trees that are further than the database. It is not for long: they are written when a group of cuts ends.
 */
import type { AddressBalance } from './balances.ts';

export interface TreeWrite {
  readonly tree: number;
  readonly name: Uint8Array;
  /** Absent: the record goes. */
  readonly record: Uint8Array | undefined;
}

/** Buckets and balances, later ones in place of earlier ones. */
export interface TreeWrites {
  readonly buckets: readonly TreeWrite[];
  readonly balances: readonly AddressBalance[];
}

export class UnwrittenTrees implements TreeWrites {
  #buckets: TreeWrite[] = [];
  #balances: AddressBalance[] = [];
  /** Records by name, once one was looked for. */
  #records: Map<string, Uint8Array | undefined> | undefined;

  get buckets(): readonly TreeWrite[] {
    return this.#buckets;
  }

  get balances(): readonly AddressBalance[] {
    return this.#balances;
  }

  add(buckets: readonly TreeWrite[], balances: readonly AddressBalance[]): void {
    this.#buckets = this.#buckets.concat(buckets);
    this.#balances = this.#balances.concat(balances);
    this.#records = undefined;
  }

  /** The record of a bucket that waits to be written. */
  find(tree: number, name: Uint8Array): Uint8Array | undefined {
    if (this.#buckets.length === 0) return undefined;
    this.#records ??= new Map(
      this.#buckets.map((write) => [nameOf(write.tree, write.name), write.record]),
    );
    return this.#records.get(nameOf(tree, name));
  }

  clear(): void {
    this.#buckets = [];
    this.#balances = [];
    this.#records = undefined;
  }
}

function nameOf(tree: number, name: Uint8Array): string {
  return `${tree} ${Buffer.from(name.buffer, name.byteOffset, name.byteLength).toString('latin1')}`;
}
