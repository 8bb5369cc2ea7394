/**
 * What was decided in a turn and is not recorded yet: coins that are spent and addresses for change that are used. Whoever
 * decides after it in the same turn passes them over. It lives as long as the turn.
 */
import type { Coin } from '../state/outputs.ts';

export class Holds {
  /** Addresses for change that are used. */
  changeAddresses = 0;
  readonly #coins = new Map<number, bigint>();
  #transactions = 0;

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

  /** How many of the coins have at least this amount. */
  countAtLeast(amount: bigint): number {
    let count = 0;
    for (const held of this.#coins.values()) if (held >= amount) count++;
    return count;
  }
}
