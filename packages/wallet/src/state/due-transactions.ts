/**
 * Open transactions that something has to be done for now. Each list has an index of its own, so that the many which only
 * wait for a cut are not read.
 */
import type { Database, Row } from './database.ts';
import { type JournalTransaction, TRANSACTION, transactionOf } from './journal.ts';

export const DUE_QUERIES = {
  expired: `SELECT ${TRANSACTION} FROM transactions WHERE state <> 'final' AND valid_until < ?
    ORDER BY valid_until, id`,
  contested: `SELECT ${TRANSACTION} FROM transactions WHERE state <> 'final' AND id IN
    (SELECT reserved_by FROM outputs WHERE reserved_by IS NOT NULL AND spent_height IS NOT NULL)
    ORDER BY id`,
  unsent: `SELECT ${TRANSACTION} FROM transactions WHERE state IN ('built', 'submitted') ORDER BY id`,
  known: `SELECT ${TRANSACTION} FROM transactions WHERE state <> 'final' AND state = 'known' ORDER BY id`,
} as const;

export class DueTransactions {
  readonly #statements;

  constructor(database: Database) {
    this.#statements = prepareAll(database);
  }

  /** Those that no cut from this height on executes. */
  expiredAt(height: number): JournalTransaction[] {
    return (this.#statements.expired.all(height) as Row[]).map(transactionOf);
  }

  /** Those that have reserved an output which is spent. */
  contested(): JournalTransaction[] {
    return (this.#statements.contested.all() as Row[]).map(transactionOf);
  }

  /** Those that the node may not have. */
  unsent(): JournalTransaction[] {
    return (this.#statements.unsent.all() as Row[]).map(transactionOf);
  }

  /** Those that the node has taken. */
  known(): JournalTransaction[] {
    return (this.#statements.known.all() as Row[]).map(transactionOf);
  }
}

function prepareAll(database: Database) {
  return {
    expired: database.prepare(DUE_QUERIES.expired),
    contested: database.prepare(DUE_QUERIES.contested),
    unsent: database.prepare(DUE_QUERIES.unsent),
    known: database.prepare(DUE_QUERIES.known),
  };
}
