/**
 * The cuts that the wallet has followed, by height: what it compares the history of its node with. Only the newest are
 * kept.
 */
import { type Database, numberOf, type Row, textOf } from './database.ts';

export interface KeptCut {
  readonly height: number;
  readonly cutId: string;
}

/** A day at 2.5 seconds a cut: no other history is accepted that reaches further back. */
export const CUTS_KEPT = 34_560;

export class Cuts {
  readonly #statements;

  constructor(database: Database) {
    this.#statements = {
      keep: database.prepare('INSERT OR REPLACE INTO cuts(height, cut_id) VALUES(?, ?)'),
      trim: database.prepare('DELETE FROM cuts WHERE height <= ?'),
      atOrBelow: database.prepare(
        'SELECT * FROM cuts WHERE height <= ? ORDER BY height DESC LIMIT 1',
      ),
      heights: database.prepare('SELECT height FROM cuts WHERE height < ? ORDER BY height'),
      forget: database.prepare('DELETE FROM cuts WHERE height > ?'),
    };
  }

  keep({ height, cutId }: KeptCut): void {
    this.#statements.keep.run(height, cutId);
    this.#statements.trim.run(height - CUTS_KEPT);
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

  forgetAbove(height: number): void {
    this.#statements.forget.run(height);
  }
}
