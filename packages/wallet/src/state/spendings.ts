/**
 * What budgets have spent, and when. A row is written in the commit that records the payment, so that a payment counts
 * once, whenever the process is killed. Times of a budget never go back: a clock that was set back gives no new budget.
 */
import { amountOf, type Database, maybe, numberOf } from './database.ts';

export class Spendings {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add(budget: string, atMillis: number, atoms: bigint): void {
    const last = this.#upTo(budget, Number.MAX_SAFE_INTEGER);
    const at = Math.max(atMillis, last?.atMillis ?? 0);
    this.#database.run`INSERT INTO spendings(budget, at_millis, total)
      VALUES(${budget}, ${at}, ${(last?.total ?? 0n) + atoms})`;
  }

  /** What the budget has spent after a moment, in atoms. */
  spentSince(budget: string, millis: number): bigint {
    const last = this.#upTo(budget, Number.MAX_SAFE_INTEGER);
    return (last?.total ?? 0n) - (this.#upTo(budget, millis)?.total ?? 0n);
  }

  #upTo(budget: string, millis: number): { atMillis: number; total: bigint } | undefined {
    const row = this.#database.row`SELECT at_millis, total FROM spendings
      WHERE budget = ${budget} AND at_millis <= ${millis} ORDER BY at_millis DESC, id DESC LIMIT 1`;
    return maybe(row, (last) => ({
      atMillis: numberOf(last, 'at_millis'),
      total: amountOf(last, 'total'),
    }));
  }
}
