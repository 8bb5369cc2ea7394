/**
 * Inputs of transactions that the rows of outputs do not show: those of transactions that came back from the journal
 * copy, those of open transactions whose outputs the history lacks at present or another one has reserved, and those of
 * dead transactions, which another history may bring back to life. An output that comes while an open transaction spends it is reserved at once;
 * triggers see to that, and to it that no output is forgotten without its outpoint.
 */
import { type Database, numberOf, textOf } from './database.ts';
import type { Outpoint } from './journal.ts';

export class KeptInputs {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add({ outputIndex, transactionId }: Outpoint, spender: number): void {
    this.#database.run`INSERT OR IGNORE INTO kept_inputs
      VALUES(${transactionId}, ${outputIndex}, ${spender})`;
  }

  /** The inputs of an open or dead transaction: what it has reserved, and what is kept of it here. */
  of(transaction: number): Outpoint[] {
    const rows = this.#database.rows`SELECT transaction_id, output_index FROM outputs
        WHERE reserved_by = ${transaction}
      UNION SELECT transaction_id, output_index FROM kept_inputs WHERE spender = ${transaction}`;
    return rows.map((row) => ({
      transactionId: textOf(row, 'transaction_id'),
      outputIndex: numberOf(row, 'output_index'),
    }));
  }

  /** Keeps what a transaction has reserved, before it is let go. */
  keepReserved(transaction: number): void {
    this.#database.run`INSERT OR IGNORE INTO kept_inputs
      SELECT transaction_id, output_index, reserved_by FROM outputs WHERE reserved_by = ${transaction}`;
  }

  /** Keeps the inputs of a transaction for another one too, which spends the same. */
  passOn(from: number, to: number): void {
    this.#database.run`INSERT OR IGNORE INTO kept_inputs
      SELECT transaction_id, output_index, ${to} FROM kept_inputs WHERE spender = ${from}`;
  }

  /** Reserves free outputs for the open transactions whose inputs they are. */
  reserve(): void {
    this.#database.run`UPDATE outputs SET reserved_by = awaiting.spender FROM
        (SELECT kept_inputs.transaction_id, output_index, MIN(spender) AS spender FROM kept_inputs
         JOIN transactions ON transactions.id = spender WHERE transactions.state <> 'final'
         GROUP BY kept_inputs.transaction_id, output_index) AS awaiting
      WHERE awaiting.transaction_id = outputs.transaction_id
        AND awaiting.output_index = outputs.output_index AND outputs.reserved_by IS NULL`;
  }

  /** Forgets the inputs of executed transactions, which the outputs show. */
  forgetExecuted(): void {
    this.#database.run`DELETE FROM kept_inputs WHERE spender IN
      (SELECT id FROM transactions WHERE outcome = 'finalized')`;
  }
}
