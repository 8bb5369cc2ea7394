/**
 * What budgets have spent, and when. A row is written in the commit that records the payment, so that a payment counts
 * once whoever is killed when. Times of a budget never go back: a clock that was set back gives no new budget.
 */
import { amountOf, type Database, numberOf, type Row } from './database.ts';

export class Spendings {
  readonly #statements;

  constructor(database: Database) {
    this.#statements = {
      add: database.prepare('INSERT INTO spendings(budget, at_millis, total) VALUES(?, ?, ?)'),
      upTo: database.prepare(
        `SELECT at_millis, total FROM spendings WHERE budget = ? AND at_millis <= ?
         ORDER BY at_millis DESC, id DESC LIMIT 1`,
      ),
    };
  }

  add(budget: string, atMillis: number, atoms: bigint): void {
    const last = this.#upTo(budget, Number.MAX_SAFE_INTEGER);
    const at = Math.max(atMillis, last?.atMillis ?? 0);
    this.#statements.add.run(budget, at, (last?.total ?? 0n) + atoms);
  }

  /** What the budget has spent after a moment, in atoms. */
  spentSince(budget: string, millis: number): bigint {
    const last = this.#upTo(budget, Number.MAX_SAFE_INTEGER);
    return (last?.total ?? 0n) - (this.#upTo(budget, millis)?.total ?? 0n);
  }

  #upTo(budget: string, millis: number): { atMillis: number; total: bigint } | undefined {
    const row = this.#statements.upTo.get(budget, millis) as Row | undefined;
    if (row === undefined) return undefined;
    return { atMillis: numberOf(row, 'at_millis'), total: amountOf(row, 'total') };
  }
}
