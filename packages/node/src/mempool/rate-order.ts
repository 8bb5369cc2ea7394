/**
 * Waiting transactions by fee rate. All that pay the same rate form a group, own and relayed ones apart, each
 * in the order of their arrival.
 */
import sortedBtree from 'sorted-btree';
import type { PooledTransaction } from './pooled-transaction.ts';

const BTree = sortedBtree.default;

/** What a transaction pays for each unit of mass, as a fraction that is never divided out. */
export interface FeeRate {
  readonly fee: bigint;
  /** Above zero. */
  readonly mass: bigint;
}

/** Orders the best rate first. */
export function compareRates(a: FeeRate, b: FeeRate): number {
  const left = a.fee * b.mass;
  const right = b.fee * a.mass;
  if (left === right) return 0;
  return left > right ? -1 : 1;
}

/** A list is compacted from this many places on. */
const COMPACTED_FROM = 64;

/**
 * Transactions in the order of their arrival. One that is gone stays in its place until a quarter of the list
 * is gone, so that leaving costs little and every other transaction keeps its place meanwhile.
 */
class ArrivalList {
  #transactions: PooledTransaction[] = [];
  #gone = 0;
  #first = 0;

  /** How many wait. */
  get size(): number {
    return this.#transactions.length - this.#gone;
  }

  /** How many places there are, those of transactions that are gone included. */
  get places(): number {
    return this.#transactions.length;
  }

  at(place: number): PooledTransaction | undefined {
    const pooled = this.#transactions[place];
    return pooled === undefined || pooled.isGone ? undefined : pooled;
  }

  /** The transaction must have arrived after all that are in the list. */
  push(pooled: PooledTransaction): void {
    this.#transactions.push(pooled);
  }

  /** Must be called once for each transaction of the list that was marked as gone. */
  countGone(): void {
    this.#gone++;
    while (this.#transactions.at(-1)?.isGone) {
      this.#transactions.pop();
      this.#gone--;
    }
    const { length } = this.#transactions;
    if (length < COMPACTED_FROM || 4 * this.#gone < length) return;
    this.#transactions = this.#transactions.filter((pooled) => !pooled.isGone);
    this.#gone = 0;
    this.#first = 0;
  }

  /** The wanted transaction that arrived first. */
  oldest(isWanted: (pooled: PooledTransaction) => boolean): PooledTransaction | undefined {
    this.#first = Math.min(this.#first, this.#transactions.length);
    while (this.#transactions[this.#first]?.isGone) this.#first++;
    for (let place = this.#first; place < this.#transactions.length; place++) {
      const pooled = this.at(place);
      if (pooled !== undefined && isWanted(pooled)) return pooled;
    }
    return undefined;
  }

  /** The first place whose transaction arrived after a time; all before it arrived by then. */
  placeAfter(millis: number): number {
    let low = 0;
    let high = this.#transactions.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const { receivedAtMillis } = this.#transactions[middle] as PooledTransaction;
      if (receivedAtMillis <= millis) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  *[Symbol.iterator](): Generator<PooledTransaction, void> {
    for (const pooled of this.#transactions) if (!pooled.isGone) yield pooled;
  }

  *newestFirst(): Generator<PooledTransaction, void> {
    for (let place = this.#transactions.length - 1; place >= 0; place--) {
      const pooled = this.at(place);
      if (pooled !== undefined) yield pooled;
    }
  }
}

export class RateGroup {
  readonly rate: FeeRate;
  readonly own: ArrivalList = new ArrivalList();
  readonly relayed: ArrivalList = new ArrivalList();

  constructor({ fee, mass }: FeeRate) {
    this.rate = { fee, mass };
  }

  get size(): number {
    return this.own.size + this.relayed.size;
  }
}

export class RateOrder {
  readonly #groups = new BTree<FeeRate, RateGroup>(undefined, compareRates);

  add(pooled: PooledTransaction): void {
    const group = this.#groups.get(pooled) ?? new RateGroup(pooled);
    if (group.size === 0) this.#groups.set(group.rate, group);
    group[pooled.origin].push(pooled);
  }

  /** The transaction must be marked as gone before. */
  remove(pooled: PooledTransaction): void {
    const group = this.#groups.get(pooled);
    if (group === undefined) return;
    group[pooled.origin].countGone();
    if (group.size === 0) this.#groups.delete(group.rate);
  }

  /** Best rate first. */
  groups(): Iterable<RateGroup> {
    return this.#groups.values();
  }

  /** Those that the pool misses least come first: the lowest rate, relayed before own, the newest. */
  *leastFirst(): Generator<PooledTransaction, void> {
    for (const [, { own, relayed }] of this.#groups.entriesReversed()) {
      yield* relayed.newestFirst();
      yield* own.newestFirst();
    }
  }

  *[Symbol.iterator](): Generator<PooledTransaction, void> {
    for (const { own, relayed } of this.groups()) {
      yield* own;
      yield* relayed;
    }
  }
}
