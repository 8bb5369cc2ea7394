/**
 * What was recorded of the newest transactions, for whoever copies it elsewhere: reading the rows back costs as much as
 * writing them. Nothing relies on it: what is not here is in the tables. Changes that are taken back take everything with
 * them, because nobody here knows what they were.
 */
import type { JournalRequest, NewTransaction } from './journal.ts';
import type { Coin } from './outputs.ts';
import type { ValueSource } from './remembered.ts';

/** A transaction, the request that it was made for, and the outputs that it has reserved. */
export interface RecentRecord {
  readonly request: Omit<JournalRequest, 'state' | 'refusal'>;
  readonly transaction: Omit<NewTransaction, 'wire'>;
  readonly inputs: readonly Pick<Coin, 'transactionId' | 'outputIndex'>[];
}

/** More are not kept; payments of one turn are far fewer. */
const RECORDS_MAX = 256;

export class RecentRecords {
  readonly #source: ValueSource;
  readonly #records = new Map<number, RecentRecord>();
  #takenBack: number;

  constructor(source: ValueSource) {
    this.#source = source;
    this.#takenBack = source.takenBack;
  }

  /** Keeps what was recorded in a row of the transactions. */
  add(row: number, record: RecentRecord): void {
    this.#forgetTakenBack();
    if (this.#records.size === RECORDS_MAX) this.#records.clear();
    this.#records.set(row, record);
  }

  /** Gives what was recorded in a row away, if it is here. */
  take(row: number): RecentRecord | undefined {
    this.#forgetTakenBack();
    const record = this.#records.get(row);
    this.#records.delete(row);
    return record;
  }

  #forgetTakenBack(): void {
    if (this.#takenBack === this.#source.takenBack) return;
    this.#takenBack = this.#source.takenBack;
    this.#records.clear();
  }
}
