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
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * What the wallet held before the cut of a height, as it follows from what it holds now: this costs what has happened
   * since, however many outputs there are.
   */
  balanceBefore(height: number): bigint {
    const row = this.#database.row`SELECT totals.balance
        - (SELECT COALESCE(SUM(amount), 0) FROM outputs
           WHERE height >= ${height} AND spent_height IS NULL)
        + (SELECT COALESCE(SUM(amount), 0) FROM outputs
           WHERE spent_height >= ${height} AND height < ${height})
        AS balance FROM totals`;
    return amountOf(row as Row, 'balance');
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

  /** The height of the output that comes or goes after so many others; the lower one of both. */
  #nthHeight(from: number, before: number): number | undefined {
    const came = this.#database.row`SELECT height FROM outputs WHERE height >= ${from}
      ORDER BY height LIMIT 1 OFFSET ${before}`;
    const went = this.#database.row`SELECT spent_height AS height FROM outputs
      WHERE spent_height >= ${from} ORDER BY spent_height LIMIT 1 OFFSET ${before}`;
    const found = [came, went].filter((row) => row !== undefined);
    if (found.length === 0) return undefined;
    return Math.min(...found.map((row) => numberOf(row, 'height')));
  }

  /** Every transaction from one height to another, both included, in the order of heights and ids. */
  between(from: number, to: number): Flow[] {
    const rows = this.#database.rows`SELECT height, transaction_id,
        SUM(received) AS received, SUM(spent) AS spent FROM (
          SELECT height, transaction_id, amount AS received, 0 AS spent FROM outputs
            WHERE height BETWEEN ${from} AND ${to}
          UNION ALL
          SELECT spent_height, spent_by, 0, amount FROM outputs
            WHERE spent_height BETWEEN ${from} AND ${to})
        GROUP BY height, transaction_id ORDER BY height, transaction_id`;
    return rows.map((row) => ({
      height: numberOf(row, 'height'),
      transactionId: textOf(row, 'transaction_id'),
      received: amountOf(row, 'received'),
      spent: amountOf(row, 'spent'),
    }));
  }
}
