/**
 * What a template carries. By fee rate; within one rate own transactions first, then relayed ones; a relayed
 * one counts as own once it is one cut interval older than the oldest own one of that rate still waiting;
 * at random within each of the two. Transactions that a waiting block carries already, or that no block made
 * now could execute, are passed over.
 */
import { randomInt } from 'node:crypto';
import type { SelectOptions } from 'svc-serve/ports';
import type { PooledTransaction } from './pooled-transaction.ts';
import type { RateGroup, RateOrder } from './rate-order.ts';

/** Decides no more than the order among equals, but miners must not foresee it. */
export interface Random {
  /** A whole number from 0 up to but not including the limit, each as likely. */
  below(limit: number): number;
}

export const SYSTEM_RANDOM: Random = { below: (limit) => randomInt(limit) };

export interface SelectPorts {
  readonly order: RateOrder;
  readonly random: Random;
  readonly height: number;
  readonly cutIntervalMillis: number;
}

/** A block stands on the head, the next cut registers it at the earliest, the one after executes it. */
const CUTS_UNTIL_EXECUTION = 2;

/** After so many transactions that do not fit into what is left, the rest is not tried. */
const MISFITS_MAX = 64;

export function selectTransactions(
  ports: SelectPorts,
  options: SelectOptions,
): PooledTransaction[] {
  const selection = new Selection(options);
  for (const group of ports.order.groups()) {
    for (const pooled of drawFrom(group, ports, options)) {
      if (selection.isFull) return selection.transactions;
      selection.offer(pooled);
    }
    if (selection.isFull) break;
  }
  return selection.transactions;
}

class Selection {
  readonly transactions: PooledTransaction[] = [];
  readonly #options: SelectOptions;
  #bytes = 0;
  #mass = 0n;
  #misfits = 0;

  constructor(options: SelectOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    const { maxTransactions } = this.#options;
    return this.transactions.length >= maxTransactions || this.#misfits >= MISFITS_MAX;
  }

  offer(pooled: PooledTransaction): void {
    const bytes = this.#bytes + bodyBytes(pooled);
    const mass = this.#mass + pooled.mass;
    if (bytes > this.#options.maxBytes || mass > this.#options.maxMass) {
      this.#misfits++;
      return;
    }
    this.#bytes = bytes;
    this.#mass = mass;
    this.transactions.push(pooled);
  }
}

/** What a transaction takes of a block's body: its length and its wire. */
function bodyBytes({ wire: { length } }: PooledTransaction): number {
  return length + (length < 1 << 7 ? 1 : length < 1 << 14 ? 2 : 3);
}

function* drawFrom(
  { own, relayed }: RateGroup,
  { random, height, cutIntervalMillis }: SelectPorts,
  { skip }: SelectOptions,
): Generator<PooledTransaction, void> {
  const executed = BigInt(height + CUTS_UNTIL_EXECUTION);
  const isWaiting = ({ id, transaction }: PooledTransaction): boolean =>
    transaction.validFromHeight <= executed &&
    executed <= transaction.validUntilHeight &&
    skip?.(id) !== true;
  const oldest = own.size === 0 ? undefined : own.oldest(isWaiting);
  const countAsOwn =
    oldest === undefined ? 0 : relayed.placeAfter(oldest.receivedAtMillis - cutIntervalMillis);
  for (const place of shuffled(own.places + countAsOwn, random)) {
    const pooled = place < own.places ? own.at(place) : relayed.at(place - own.places);
    if (pooled !== undefined && isWaiting(pooled)) yield pooled;
  }
  for (const place of shuffled(relayed.places - countAsOwn, random)) {
    const pooled = relayed.at(countAsOwn + place);
    if (pooled !== undefined && isWaiting(pooled)) yield pooled;
  }
}

/** The numbers from 0 up to a count in random order; only as much is drawn as is asked for. */
export function* shuffled(count: number, random: Random): Generator<number, void> {
  const moved = new Map<number, number>();
  for (let place = 0; place < count; place++) {
    const drawn = place + random.below(count - place);
    yield moved.get(drawn) ?? drawn;
    moved.set(drawn, moved.get(place) ?? place);
    moved.delete(place);
  }
}
