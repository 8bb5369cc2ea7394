/**
 * Waiting transactions by fee rate. All that pay the same rate form a group, own and relayed ones apart.
 */
import sortedBtree from 'sorted-btree';
import { AgedList } from './aged-list.ts';
import { compareRates, type FeeRate } from './fee-rate.ts';
import type { PoolEntry } from './pool-entry.ts';

const BTree = sortedBtree.default;

export class RateGroup {
  readonly rate: FeeRate;
  readonly own = new AgedList();
  readonly relayed = new AgedList();

  constructor({ fee, mass }: FeeRate) {
    this.rate = { fee, mass };
  }

  get size(): number {
    return this.own.size + this.relayed.size;
  }
}

export class RateOrder {
  readonly #groups = new BTree<FeeRate, RateGroup>(undefined, compareRates);

  add(entry: PoolEntry): void {
    const group = this.#groups.get(entry) ?? new RateGroup(entry);
    if (group.size === 0) this.#groups.set(group.rate, group);
    group[entry.origin].push(entry);
  }

  /** The entry must be marked as gone before. */
  remove(entry: PoolEntry): void {
    const group = this.#groups.get(entry);
    if (group === undefined) return;
    group[entry.origin].noteGone();
    if (group.size === 0) this.#groups.delete(group.rate);
  }

  /** Best rate first. */
  groups(): Iterable<RateGroup> {
    return this.#groups.values();
  }

  /** Whom the pool misses least first: the lowest rate, relayed before own, the newest. */
  *leastFirst(): Generator<PoolEntry, void> {
    for (const [, { own, relayed }] of this.#groups.entriesReversed()) {
      yield* relayed.newestFirst();
      yield* own.newestFirst();
    }
  }

  *[Symbol.iterator](): Generator<PoolEntry, void> {
    for (const { own, relayed } of this.groups()) {
      yield* own;
      yield* relayed;
    }
  }
}
