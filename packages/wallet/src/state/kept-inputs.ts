/**
 * Inputs of transactions that the rows of outputs do not tell of: those of transactions that came back from the journal
 * copy, those of open transactions whose outputs the history lacks at present or another one has reserved, and those of
 * dead transactions, which another history may bring back to life. An output that comes while an open transaction spends it is reserved at once;
 * triggers see to that, and to it that no output is forgotten without its outpoint.
 */
import { type Database, numberOf, type Row, textOf } from './database.ts';
import type { Outpoint } from './journal.ts';

export class KeptInputs {
  readonly #statements;

  constructor(database: Database) {
    this.#statements = prepareAll(database);
  }

  add({ outputIndex, transactionId }: Outpoint, spender: number): void {
    this.#statements.add.run(transactionId, outputIndex, spender);
  }

  /** The inputs of an open or dead transaction: what it has reserved, and what is kept of it here. */
  of(transaction: number): Outpoint[] {
    return (this.#statements.of.all(transaction, transaction) as Row[]).map((row) => ({
      transactionId: textOf(row, 'transaction_id'),
      outputIndex: numberOf(row, 'output_index'),
    }));
  }

  /** Keeps what a transaction has reserved, before it is let go. */
  keepReserved(transaction: number): void {
    this.#statements.keepReserved.run(transaction);
  }

  /** Keeps the inputs of a transaction for another one too, which spends the same. */
  passOn(from: number, to: number): void {
    this.#statements.passOn.run(to, from);
  }

  /** Reserves outputs that nobody has reserved for the open transactions whose inputs they are. */
  reserve(): void {
    this.#statements.reserve.run();
  }

  /** Forgets the inputs of executed transactions, which the outputs tell of. */
  forgetExecuted(): void {
    this.#statements.forgetExecuted.run();
  }
}

function prepareAll(database: Database) {
  return {
    add: database.prepare('INSERT OR IGNORE INTO kept_inputs VALUES(?, ?, ?)'),
    of: database.prepare(
      `SELECT transaction_id, output_index FROM outputs WHERE reserved_by = ?
       UNION SELECT transaction_id, output_index FROM kept_inputs WHERE spender = ?`,
    ),
    keepReserved: database.prepare(
      `INSERT OR IGNORE INTO kept_inputs
       SELECT transaction_id, output_index, reserved_by FROM outputs WHERE reserved_by = ?`,
    ),
    passOn: database.prepare(
      `INSERT OR IGNORE INTO kept_inputs
       SELECT transaction_id, output_index, ? FROM kept_inputs WHERE spender = ?`,
    ),
    reserve: database.prepare(
      `UPDATE outputs SET reserved_by = awaiting.spender FROM
         (SELECT kept_inputs.transaction_id, output_index, MIN(spender) AS spender FROM kept_inputs
          JOIN transactions ON transactions.id = spender WHERE transactions.state <> 'final'
          GROUP BY kept_inputs.transaction_id, output_index) AS awaiting
       WHERE awaiting.transaction_id = outputs.transaction_id
         AND awaiting.output_index = outputs.output_index AND outputs.reserved_by IS NULL`,
    ),
    forgetExecuted: database.prepare(
      `DELETE FROM kept_inputs WHERE spender IN
         (SELECT id FROM transactions WHERE outcome = 'finalized')`,
    ),
  };
}
