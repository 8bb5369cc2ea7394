/**
 * The waiting transactions in memory, found by id, by what they spend, by address, by fee rate and by the
 * cut they expire with. No two spend the same output.
 */
import type { TransactionOutput } from 'svc-ledger';
import { operationSubject } from './operation-subject.ts';
import type { PooledTransaction } from './pooled-transaction.ts';
import { RateOrder } from './rate-order.ts';

export class PoolIndex {
  readonly order = new RateOrder();
  readonly addresses = new AddressIndex();
  readonly #byId = new Map<string, PooledTransaction>();
  readonly #spenders = new Map<string, PooledTransaction>();
  readonly #subjects = new Map<string, PooledTransaction>();
  readonly #expiries = new Map<number, Set<PooledTransaction>>();
  #bytes = 0;
  #mass = 0n;

  get size(): number {
    return this.#byId.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get mass(): bigint {
    return this.#mass;
  }

  get(id: string): PooledTransaction | undefined {
    return this.#byId.get(id);
  }

  spenderOf(outpoint: string): PooledTransaction | undefined {
    return this.#spenders.get(outpoint);
  }

  withSubject(subject: string): PooledTransaction | undefined {
    return this.#subjects.get(subject);
  }

  /** Those whose last cut is the one at this height. */
  expiringAt(height: number): readonly PooledTransaction[] {
    return [...(this.#expiries.get(height) ?? [])];
  }

  add(pooled: PooledTransaction): void {
    const { id, transaction, wire, mass } = pooled;
    this.#byId.set(id, pooled);
    for (const outpoint of pooled.outpoints) this.#spenders.set(outpoint, pooled);
    const subject = operationSubject(transaction.operation);
    if (subject !== null) this.#subjects.set(subject, pooled);
    const lastHeight = Number(transaction.validUntilHeight);
    const expiring = this.#expiries.get(lastHeight);
    if (expiring === undefined) this.#expiries.set(lastHeight, new Set([pooled]));
    else expiring.add(pooled);
    this.order.add(pooled);
    this.addresses.add(pooled);
    this.#bytes += wire.length;
    this.#mass += mass;
  }

  remove(pooled: PooledTransaction): void {
    const { id, transaction, wire, mass } = pooled;
    pooled.isGone = true;
    this.#byId.delete(id);
    for (const outpoint of pooled.outpoints) this.#spenders.delete(outpoint);
    const subject = operationSubject(transaction.operation);
    if (subject !== null) this.#subjects.delete(subject);
    const lastHeight = Number(transaction.validUntilHeight);
    const expiring = this.#expiries.get(lastHeight);
    expiring?.delete(pooled);
    if (expiring?.size === 0) this.#expiries.delete(lastHeight);
    this.order.remove(pooled);
    this.addresses.remove(pooled);
    this.#bytes -= wire.length;
    this.#mass -= mass;
  }
}

/**
 * Which waiting transactions spend from or pay to an address. Most addresses have one, which is then kept
 * without a set around it.
 */
class AddressIndex {
  readonly #byAddress = new Map<string, PooledTransaction | Set<PooledTransaction>>();

  add(pooled: PooledTransaction): void {
    for (const output of pooled.spent) this.#addOne(output, pooled);
    for (const output of pooled.transaction.outputs) this.#addOne(output, pooled);
  }

  remove(pooled: PooledTransaction): void {
    for (const output of pooled.spent) this.#removeOne(output, pooled);
    for (const output of pooled.transaction.outputs) this.#removeOne(output, pooled);
  }

  touching(address: string): readonly PooledTransaction[] {
    const found = this.#byAddress.get(address);
    if (found === undefined) return [];
    return found instanceof Set ? [...found] : [found];
  }

  #addOne({ address }: TransactionOutput, pooled: PooledTransaction): void {
    const found = this.#byAddress.get(address);
    if (found === undefined) this.#byAddress.set(address, pooled);
    else if (found instanceof Set) found.add(pooled);
    else if (found !== pooled) this.#byAddress.set(address, new Set([found, pooled]));
  }

  #removeOne({ address }: TransactionOutput, pooled: PooledTransaction): void {
    const found = this.#byAddress.get(address);
    if (found instanceof Set) found.delete(pooled);
    if (found === pooled || (found instanceof Set && found.size === 0))
      this.#byAddress.delete(address);
  }
}
