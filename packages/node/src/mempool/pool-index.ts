/**
 * The waiting transactions in memory, found by id, by what they spend, by address, by fee rate and by the
 * cut they expire with. No two spend the same output.
 */
import { AddressIndex } from './address-index.ts';
import { operationSubject } from './operation-subject.ts';
import type { PoolEntry } from './pool-entry.ts';
import { RateOrder } from './rate-order.ts';

export class PoolIndex {
  readonly order = new RateOrder();
  readonly addresses = new AddressIndex();
  /** In the order they came. */
  readonly #entries = new Map<string, PoolEntry>();
  readonly #spenders = new Map<string, PoolEntry>();
  readonly #subjects = new Map<string, PoolEntry>();
  readonly #expiries = new Map<number, Set<PoolEntry>>();
  #bytes = 0;
  #mass = 0n;

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get mass(): bigint {
    return this.#mass;
  }

  get(id: string): PoolEntry | undefined {
    return this.#entries.get(id);
  }

  oldest(): PoolEntry | undefined {
    const [oldest] = this.#entries.values();
    return oldest;
  }

  spenderOf(outpoint: string): PoolEntry | undefined {
    return this.#spenders.get(outpoint);
  }

  withSubject(subject: string): PoolEntry | undefined {
    return this.#subjects.get(subject);
  }

  /** Those whose last cut is the one at this height. */
  expiringAt(height: number): readonly PoolEntry[] {
    return [...(this.#expiries.get(height) ?? [])];
  }

  add(entry: PoolEntry): void {
    const { id, transaction, wire, mass } = entry;
    this.#entries.set(id, entry);
    for (const outpoint of entry.outpoints) this.#spenders.set(outpoint, entry);
    const subject = operationSubject(transaction.operation);
    if (subject !== null) this.#subjects.set(subject, entry);
    const lastHeight = Number(transaction.validUntilHeight);
    const expiring = this.#expiries.get(lastHeight);
    if (expiring === undefined) this.#expiries.set(lastHeight, new Set([entry]));
    else expiring.add(entry);
    this.order.add(entry);
    this.addresses.add(entry);
    this.#bytes += wire.length;
    this.#mass += mass;
  }

  remove(entry: PoolEntry): void {
    const { id, transaction, wire, mass } = entry;
    entry.isGone = true;
    this.#entries.delete(id);
    for (const outpoint of entry.outpoints) this.#spenders.delete(outpoint);
    const subject = operationSubject(transaction.operation);
    if (subject !== null) this.#subjects.delete(subject);
    const lastHeight = Number(transaction.validUntilHeight);
    const expiring = this.#expiries.get(lastHeight);
    expiring?.delete(entry);
    if (expiring?.size === 0) this.#expiries.delete(lastHeight);
    this.order.remove(entry);
    this.addresses.remove(entry);
    this.#bytes -= wire.length;
    this.#mass -= mass;
  }
}
