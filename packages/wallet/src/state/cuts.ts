/**
 * The cuts that the wallet has followed, by height: what it compares the history of its node with. Only the newest are
 * kept. The time of a cut that brought or took outputs is kept for good: it is not certified later. Flows are what the
 * transactions of a cut brought and took.
 */
import { amountOf, type Database, maybe, numberOf, type Row, textOf } from './database.ts';

export interface KeptCut {
  readonly height: number;
  readonly cutId: string;
  /** When it was made final, as its validators signed it. */
  readonly atMillis?: number;
}

/** A day at 2.5 seconds a cut: no other history is accepted that reaches further back. */
export const CUTS_KEPT = 34_560;

export class Cuts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Called once the outputs of the cut are there. */
  keep({ atMillis, cutId, height }: KeptCut): void {
    const database = this.#database;
    database.run`INSERT OR REPLACE INTO cuts(height, cut_id) VALUES(${height}, ${cutId})`;
    database.run`DELETE FROM cuts WHERE height <= ${height - CUTS_KEPT}`;
    if (atMillis === undefined) return;
    database.run`INSERT OR REPLACE INTO cut_times(height, at_millis) SELECT ${height}, ${atMillis}
      WHERE EXISTS(SELECT 1 FROM outputs WHERE height = ${height})
        OR EXISTS(SELECT 1 FROM outputs WHERE spent_height = ${height})`;
  }

  /** The highest kept cut that is not above a height. */
  atOrBelow(height: number): KeptCut | undefined {
    const row = this.#database
      .row`SELECT * FROM cuts WHERE height <= ${height} ORDER BY height DESC LIMIT 1`;
    return maybe(row, (cut) => ({ height: heightOf(cut), cutId: textOf(cut, 'cut_id') }));
  }

  newest(): KeptCut | undefined {
    return this.atOrBelow(Number.MAX_SAFE_INTEGER);
  }

  /** The kept heights below a height, ascending. */
  heightsBelow(height: number): number[] {
    return this.#database.rows`SELECT height FROM cuts WHERE height < ${height}
      ORDER BY height`.map(heightOf);
  }

  /** The times that are known of cuts from one height to another, both included. */
  times(from: number, to: number): ReadonlyMap<number, number> {
    const rows = this.#database
      .rows`SELECT * FROM cut_times WHERE height BETWEEN ${from} AND ${to}`;
    return new Map(rows.map((row) => [heightOf(row), numberOf(row, 'at_millis')]));
  }

  /** The last cut with outputs before a moment, and the first one that is not before it. Undefined where there is none. */
  around(millis: number): { readonly before?: number; readonly from?: number } {
    const before = this.#database.row`SELECT height FROM cut_times WHERE at_millis < ${millis}
      ORDER BY at_millis DESC LIMIT 1`;
    const from = this.#database.row`SELECT height FROM cut_times WHERE at_millis >= ${millis}
      ORDER BY at_millis LIMIT 1`;
    return {
      ...(before === undefined ? {} : { before: heightOf(before) }),
      ...(from === undefined ? {} : { from: heightOf(from) }),
    };
  }

  forgetAbove(height: number): void {
    this.#database.run`DELETE FROM cuts WHERE height > ${height}`;
    this.#database.run`DELETE FROM cut_times WHERE height > ${height}`;
  }
}

function heightOf(row: Row): number {
  return numberOf(row, 'height');
}

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
