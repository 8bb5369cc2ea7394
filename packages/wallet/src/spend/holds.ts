/**
 * What was decided in a turn and is not recorded yet: coins that are spent and addresses for change that are used. Whoever
 * decides after it in the same turn passes them over. It lives as long as the turn.
 */
import type { Coin } from '../state/outputs.ts';

/** Free coins of at least an amount, the smallest first, and no more than a number of them. */
export type ReadCoins = (amount: bigint, limit: number) => readonly Coin[];

export class Holds {
  /** Addresses for change that are used. */
  changeAddresses = 0;
  readonly #coins = new Map<number, bigint>();
  readonly #payments: number;
  #transactions = 0;
  /** Free coins that were read for the payments of the turn: none is between two of them. */
  #read: readonly Coin[] = [];
  /** None is between this amount and the first of them either. */
  #readFrom = 0n;

  /** For a turn of so many payments. */
  constructor(payments = 1) {
    this.#payments = payments;
  }

  /** How many coins are held. */
  get coins(): number {
    return this.#coins.size;
  }

  /** How many transactions spend them. */
  get transactions(): number {
    return this.#transactions;
  }

  has(id: number): boolean {
    return this.#coins.has(id);
  }

  /** Holds the coins of one transaction. */
  take(coins: readonly Coin[]): void {
    for (const { amount, id } of coins) this.#coins.set(id, amount);
    this.#transactions++;
  }

  /** The smallest free coin of at least this amount that is not held. Coins are read for all payments of the turn at once. */
  smallestAtLeast(amount: bigint, read: ReadCoins): Coin | undefined {
    const isNext = (coin: Coin): boolean => coin.amount >= amount && !this.#coins.has(coin.id);
    const known = amount >= this.#readFrom ? this.#read.find(isNext) : undefined;
    if (known !== undefined) return known;
    const payments = Math.max(1, this.#payments - this.#transactions);
    this.#read = read(amount, this.#coins.size + payments);
    this.#readFrom = amount;
    return this.#read.find(isNext);
  }

  /** Has coins read again: some that were read are not free any more. */
  forgetRead(): void {
    this.#read = [];
  }

  /** How many of the coins have at least this amount. */
  countAtLeast(amount: bigint): number {
    let count = 0;
    for (const held of this.#coins.values()) if (held >= amount) count++;
    return count;
  }
}
