/**
 * What the payments of a group have decided and is not recorded yet: coins that are spent and addresses for change that are
 * used. Whoever decides after them in the same turn passes them over, also the group after them, which is decided before
 * they are recorded. It lives until the group is recorded.
 */
import type { Coin } from '../state/outputs.ts';

/** Free coins of at least an amount, the smallest first, and no more than a number of them. */
export type ReadCoins = (amount: bigint, limit: number) => readonly Coin[];

export class Holds {
  /** Addresses for change that are used, counted from the one that was next when the group began. */
  changeAddresses: number;
  /** How many of them were issued when the group before was recorded. */
  issuedBefore = 0;
  readonly #coins = new Map<number, bigint>();
  readonly #payments: number;
  /** The group before, as long as it is not recorded. */
  #before: Holds | undefined;
  #transactions = 0;
  /** Free coins that were read for the payments of the group: none is between two of them. */
  #read: readonly Coin[] = [];
  /** None is between this amount and the first of them either. */
  #readFrom = 0n;

  /** For a group of so many payments; the group before it is not recorded yet. */
  constructor(payments = 1, before?: Holds) {
    this.#payments = payments;
    this.#before = before;
    this.changeAddresses = before === undefined ? 0 : before.changeAddresses - before.issuedBefore;
  }

  /** The group before has been recorded, with so many addresses for change. No payment is decided here after that. */
  forgetBefore(issued: number): void {
    this.#before = undefined;
    this.issuedBefore = issued;
    this.forgetRead();
  }

  /** How many coins are held. */
  get coins(): number {
    return this.#coins.size + (this.#before?.coins ?? 0);
  }

  /** How many transactions spend them. */
  get transactions(): number {
    return this.#transactions + (this.#before?.transactions ?? 0);
  }

  has(id: number): boolean {
    return this.#coins.has(id) || this.#before?.has(id) === true;
  }

  /** Holds the coins of one transaction. */
  take(coins: readonly Coin[]): void {
    for (const { amount, id } of coins) this.#coins.set(id, amount);
    this.#transactions++;
  }

  /** The smallest free coin of at least this amount that is not held. Coins are read for all payments of the group at once. */
  smallestAtLeast(amount: bigint, read: ReadCoins): Coin | undefined {
    const isNext = (coin: Coin): boolean => coin.amount >= amount && !this.has(coin.id);
    const known = amount >= this.#readFrom ? this.#read.find(isNext) : undefined;
    if (known !== undefined) return known;
    const payments = Math.max(1, this.#payments - this.#transactions);
    this.#read = read(amount, this.coins + payments);
    this.#readFrom = amount;
    return this.#read.find(isNext);
  }

  /** Has coins read again: some that were read are not free any more. */
  forgetRead(): void {
    this.#read = [];
  }

  /** How many of the coins have at least this amount. */
  countAtLeast(amount: bigint): number {
    let count = this.#before?.countAtLeast(amount) ?? 0;
    for (const held of this.#coins.values()) if (held >= amount) count++;
    return count;
  }
}
