/**
 * The cuts that the wallet has followed, by height: what it compares the history of its node with. Only the newest are
 * kept. The time of a cut that brought or took outputs is kept for good: it tells when that was, and nobody certifies it
 * later.
 */
import { type Database, numberOf, type Row, textOf } from './database.ts';

export interface KeptCut {
  readonly height: number;
  readonly cutId: string;
  /** When it was made final, as its validators signed it. */
  readonly atMillis?: number;
}

/** A day at 2.5 seconds a cut: no other history is accepted that reaches further back. */
export const CUTS_KEPT = 34_560;

export class Cuts {
  readonly #statements;

  constructor(database: Database) {
    this.#statements = prepareAll(database);
  }

  /** Called once the outputs of the cut are there. */
  keep({ atMillis, cutId, height }: KeptCut): void {
    this.#statements.keep.run(height, cutId);
    this.#statements.trim.run(height - CUTS_KEPT);
    if (atMillis !== undefined) this.#statements.keepTime.run(height, atMillis);
  }

  /** The highest kept cut that is not above a height. */
  atOrBelow(height: number): KeptCut | undefined {
    const row = this.#statements.atOrBelow.get(height) as Row | undefined;
    if (row === undefined) return undefined;
    return { height: numberOf(row, 'height'), cutId: textOf(row, 'cut_id') };
  }

  newest(): KeptCut | undefined {
    return this.atOrBelow(Number.MAX_SAFE_INTEGER);
  }

  /** The kept heights below a height, ascending. */
  heightsBelow(height: number): number[] {
    return (this.#statements.heights.all(height) as Row[]).map((row) => numberOf(row, 'height'));
  }

  /** The times that are known of cuts from one height to another, both included. */
  times(from: number, to: number): ReadonlyMap<number, number> {
    const rows = this.#statements.times.all(from, to) as Row[];
    return new Map(rows.map((row) => [numberOf(row, 'height'), numberOf(row, 'at_millis')]));
  }

  /**
   * Between which two cuts with outputs a moment lies: the last one before it, and the first one that is not. Undefined where
   * there is none.
   */
  around(millis: number): { readonly before?: number; readonly from?: number } {
    const { firstFrom, lastBefore } = this.#statements;
    const before = lastBefore.get(millis) as Row | undefined;
    const from = firstFrom.get(millis) as Row | undefined;
    return {
      ...(before === undefined ? {} : { before: numberOf(before, 'height') }),
      ...(from === undefined ? {} : { from: numberOf(from, 'height') }),
    };
  }

  forgetAbove(height: number): void {
    this.#statements.forget.run(height);
    this.#statements.forgetTimes.run(height);
  }
}

function prepareAll(database: Database) {
  return {
    keep: database.prepare('INSERT OR REPLACE INTO cuts(height, cut_id) VALUES(?, ?)'),
    trim: database.prepare('DELETE FROM cuts WHERE height <= ?'),
    atOrBelow: database.prepare(
      'SELECT * FROM cuts WHERE height <= ? ORDER BY height DESC LIMIT 1',
    ),
    heights: database.prepare('SELECT height FROM cuts WHERE height < ? ORDER BY height'),
    forget: database.prepare('DELETE FROM cuts WHERE height > ?'),
    keepTime: database.prepare(
      `INSERT OR REPLACE INTO cut_times(height, at_millis) SELECT ?1, ?2
       WHERE EXISTS(SELECT 1 FROM outputs WHERE height = ?1)
         OR EXISTS(SELECT 1 FROM outputs WHERE spent_height = ?1)`,
    ),
    times: database.prepare('SELECT * FROM cut_times WHERE height BETWEEN ? AND ?'),
    lastBefore: database.prepare(
      'SELECT height FROM cut_times WHERE at_millis < ? ORDER BY at_millis DESC LIMIT 1',
    ),
    firstFrom: database.prepare(
      'SELECT height FROM cut_times WHERE at_millis >= ? ORDER BY at_millis LIMIT 1',
    ),
    forgetTimes: database.prepare('DELETE FROM cut_times WHERE height > ?'),
  };
}
