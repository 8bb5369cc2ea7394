/**
 * Coins and change addresses that payments of one turn use before they are recorded. Payments that are decided later in
 * the same turn pass them over.
 */
import type { Coin } from '../state/outputs.ts';

/** Free coins of at least an amount, the smallest first, up to a limit. */
export type ReadCoins = (amount: bigint, limit: number) => readonly Coin[];

export class Reservations {
  /** Change addresses that are used, counted from the next one of the wallet. */
  changeAddresses = 0;
  readonly #coins = new Map<number, bigint>();
  readonly #payments: number;
  #transactions = 0;
  /** Free coins that were read for all payments of the turn, without gaps between them. */
  #read: readonly Coin[] = [];
  /** There is none between this amount and the first of them either. */
  #readFrom = 0n;

  constructor(payments = 1) {
    this.#payments = payments;
  }

  /** How many coins are reserved. */
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

  /** Reserves the coins of one transaction. */
  take(coins: readonly Coin[]): void {
    for (const { amount, id } of coins) this.#coins.set(id, amount);
    this.#transactions++;
  }

  /** The smallest free coin of at least this amount. Coins are read for all payments of the turn at once. */
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
    let count = 0;
    for (const reserved of this.#coins.values()) if (reserved >= amount) count++;
    return count;
  }
}
