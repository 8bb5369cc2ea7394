/**
 * What final transactions brought into the wallet and took out of it, told from its outputs alone. Everything between two
 * heights adds up to the difference of the balances there. Nothing is written here.
 */
import { amountOf, type Database, numberOf, type Row, textOf } from './database.ts';

/** One transaction at its height. Change comes back in the transaction that took it out. */
export interface Flow {
  readonly height: number;
  readonly transactionId: string;
  readonly received: bigint;
  readonly spent: bigint;
}

export class Flows {
  readonly #statements;

  constructor(database: Database) {
    this.#statements = prepareAll(database);
  }

  /**
   * What the wallet held before the cut of a height, as it follows from what it holds now: this costs what has happened
   * since, however many outputs there are.
   */
  balanceBefore(height: number): bigint {
    return amountOf(this.#statements.balanceBefore.get(height) as Row, 'balance');
  }

  /**
   * The height up to which so many outputs came or so many went, from a height on, without dividing what happened at one; undefined
   * where there are fewer.
   */
  wholeHeights(from: number, limit: number): number | undefined {
    const found = this.#nthHeight(from, limit);
    return found === undefined ? undefined : Math.max(from, found - 1);
  }

  /** The first height from one on at which something came or went. */
  firstFrom(height: number): number | undefined {
    return this.#nthHeight(height, 0);
  }

  /** Where the output lies that comes or goes after so many others; the lower one of both. */
  #nthHeight(from: number, before: number): number | undefined {
    const { nthCame, nthWent } = this.#statements;
    const found = [nthCame, nthWent].flatMap((nth) => {
      const row = nth.get(from, before) as Row | undefined;
      return row === undefined ? [] : [numberOf(row, 'height')];
    });
    return found.length === 0 ? undefined : Math.min(...found);
  }

  /** Every transaction from one height to another, both included, in the order of heights and ids. */
  between(from: number, to: number): Flow[] {
    return (this.#statements.between.all(from, to) as Row[]).map((row) => ({
      height: numberOf(row, 'height'),
      transactionId: textOf(row, 'transaction_id'),
      received: amountOf(row, 'received'),
      spent: amountOf(row, 'spent'),
    }));
  }
}

function prepareAll(database: Database) {
  return {
    balanceBefore: database.prepare(
      `SELECT totals.balance
         - (SELECT COALESCE(SUM(amount), 0) FROM outputs WHERE height >= ?1 AND spent_height IS NULL)
         + (SELECT COALESCE(SUM(amount), 0) FROM outputs WHERE spent_height >= ?1 AND height < ?1)
         AS balance FROM totals`,
    ),
    nthCame: database.prepare(
      'SELECT height FROM outputs WHERE height >= ? ORDER BY height LIMIT 1 OFFSET ?',
    ),
    nthWent: database.prepare(
      `SELECT spent_height AS height FROM outputs WHERE spent_height >= ?
       ORDER BY spent_height LIMIT 1 OFFSET ?`,
    ),
    between: database.prepare(
      `SELECT height, transaction_id, SUM(received) AS received, SUM(spent) AS spent FROM (
         SELECT height, transaction_id, amount AS received, 0 AS spent FROM outputs
           WHERE height BETWEEN ?1 AND ?2
         UNION ALL
         SELECT spent_height, spent_by, 0, amount FROM outputs
           WHERE spent_height BETWEEN ?1 AND ?2)
       GROUP BY height, transaction_id ORDER BY height, transaction_id`,
    ),
  };
}
