/**
 * The record of everything the wallet sends. A request is what a caller asked for under a name of its own; it
 * leads to one transaction or several. The signed bytes of a transaction are in here before they leave, and no
 * other bytes are ever sent for it; they go some time after its outcome is final.
 */
import {
  amountOf,
  type Database,
  Fragment,
  flagOf,
  maybe,
  numberOf,
  optionalNumber,
  optionalText,
  type Row,
  textOf,
} from './database.ts';

export type RequestState = 'accepted' | 'built' | 'refused';
export type TransactionState = 'built' | 'submitted' | 'known' | 'refused' | 'final';
export type Outcome = 'finalized' | 'conflict' | 'expired';

export interface NewRequest {
  readonly requestId: string;
  readonly method: string;
  /** Canonical JSON of what was asked for. */
  readonly params: string;
  readonly isAutomatic: boolean;
  readonly createdAtMillis: number;
  /** The name of the token that the caller had; null if there was none. */
  readonly caller?: string | null;
  /** JSON of the budget that the request counts against; null if it counts against none. */
  readonly budget?: string | null;
}

export interface JournalRequest extends NewRequest {
  readonly id: number;
  readonly caller: string | null;
  readonly budget: string | null;
  readonly state: RequestState;
  readonly result: string | null;
  readonly refusal: string | null;
}

export interface NewTransaction {
  readonly request: number;
  readonly kind: string;
  readonly transactionId: string;
  /** Null until all signatures are there. */
  readonly wire: Uint8Array | null;
  readonly validUntil: number;
  readonly amount: bigint;
  readonly fee: bigint;
  /** JSON: who is paid what. */
  readonly recipients: string;
  readonly createdAtMillis: number;
  /** The row of the transaction whose coins it spends in place of it. */
  readonly replaces?: number | null;
}

export interface JournalTransaction extends Omit<NewTransaction, 'wire'> {
  readonly id: number;
  readonly state: TransactionState;
  readonly outcome: Outcome | null;
  readonly attempts: number;
  /** Attempts that may have reached the node although it did not say so. */
  readonly unanswered: number;
  readonly refusal: string | null;
  readonly finalHeight: number | null;
  readonly replaces: number | null;
  readonly proof: string | null;
}

export interface Settlement {
  readonly outcome: Outcome;
  readonly height: number;
  readonly proof?: string;
}

export interface Outpoint {
  readonly transactionId: string;
  readonly outputIndex: number;
}

/** Says what the index says too, so that it is used. */
const IS_OPEN = new Fragment("state <> 'final'");
const IS_UNSENT = new Fragment("state IN ('built', 'submitted')");
const REOPEN = new Fragment(`UPDATE transactions
  SET state = CASE WHEN has_wire = 0 THEN 'known' ELSE 'submitted' END,
    outcome = NULL, final_height = NULL, proof = NULL, unanswered = unanswered + 1
  WHERE state = 'final'`);

export class Journal {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds a request, with its result where it is made already. */
  addRequest(request: NewRequest, state: RequestState, result: string | null = null): number {
    const { budget, caller, createdAtMillis, isAutomatic, method, params, requestId } = request;
    return this.#database.run`INSERT INTO requests(request_id, method, params, automatic, state,
        created_at_millis, caller, budget, result)
      VALUES(${requestId}, ${method}, ${params}, ${isAutomatic}, ${state},
        ${createdAtMillis}, ${caller}, ${budget}, ${result})`.id;
  }

  findRequest(requestId: string): JournalRequest | undefined {
    return maybe(
      this.#database.row`SELECT * FROM requests WHERE request_id = ${requestId}`,
      requestOf,
    );
  }

  request(id: number): JournalRequest {
    return requestOf(this.#database.row`SELECT * FROM requests WHERE id = ${id}` as Row);
  }

  /** Requests to go on with: accepted, without their end, and not held. */
  acceptedRequests(): JournalRequest[] {
    return this.#database.rows`SELECT * FROM requests WHERE state = 'accepted'
      AND id NOT IN (SELECT request FROM held_requests) ORDER BY id`.map(requestOf);
  }

  finishRequest(id: number, result: string): void {
    this.#database.run`UPDATE requests SET state = 'built', result = ${result} WHERE id = ${id}`;
  }

  /** Adds a transaction; one that is sent right after its commit comes with its first attempt. */
  addTransaction(made: NewTransaction, isSentNext = false): number {
    const { id } = this.#database.run`INSERT INTO transactions(request, kind, transaction_id,
        valid_until, amount, fee, recipients, state, attempts, has_wire, created_at_millis, replaces)
      VALUES(${made.request}, ${made.kind}, ${made.transactionId},
        ${made.validUntil}, ${made.amount}, ${made.fee}, ${made.recipients},
        ${isSentNext ? 'submitted' : 'built'}, ${isSentNext}, ${made.wire !== null},
        ${made.createdAtMillis}, ${made.replaces})`;
    if (made.wire !== null) this.#addWire(id, made.wire);
    return id;
  }

  #addWire(id: number, wire: Uint8Array): void {
    this.#database.run`INSERT INTO wires VALUES(${id}, ${wire})`;
  }

  /** The row of the newest transaction, 0 if there is none. */
  newest(): number {
    return numberOf(
      this.#database.row`SELECT COALESCE(MAX(id), 0) AS id FROM transactions` as Row,
      'id',
    );
  }

  transaction(id: number): JournalTransaction {
    return transactionOf(this.#database.row`SELECT * FROM transactions WHERE id = ${id}` as Row);
  }

  /** The signed bytes; null if they are not kept any more. */
  wireOf(id: number): Uint8Array | null {
    const row = this.#database.row`SELECT wire FROM wires WHERE transaction_row = ${id}`;
    return maybe(row, (kept) => kept['wire'] as Uint8Array) ?? null;
  }

  findTransaction(transactionId: string): JournalTransaction | undefined {
    const row = this.#database
      .row`SELECT * FROM transactions WHERE transaction_id = ${transactionId}`;
    return maybe(row, transactionOf);
  }

  transactionsOf(request: number): JournalTransaction[] {
    return this.#database.rows`SELECT * FROM transactions WHERE request = ${request}
      ORDER BY id`.map(transactionOf);
  }

  /** Transactions whose outcome is not final. */
  open(): JournalTransaction[] {
    return this.#database.rows`SELECT * FROM transactions WHERE ${IS_OPEN} ORDER BY id`.map(
      transactionOf,
    );
  }

  /** The same behind an id, up to a limit. */
  openAfter(id: number, limit: number): JournalTransaction[] {
    return this.#database.rows`SELECT * FROM transactions WHERE ${IS_OPEN} AND id > ${id}
      ORDER BY id LIMIT ${limit}`.map(transactionOf);
  }

  openCount(): number {
    const row = this.#database.row`SELECT COUNT(*) AS count FROM transactions WHERE ${IS_OPEN}`;
    return numberOf(row as Row, 'count');
  }

  // Open transactions that something has to be done for now. Each list has an index of its own, so that the many which
  // only wait for a cut are not read.

  /** Those that no cut from this height on executes. */
  expiredAt(height: number): JournalTransaction[] {
    return this.#database
      .rows`SELECT * FROM transactions WHERE ${IS_OPEN} AND valid_until < ${height}
      ORDER BY valid_until, id`.map(transactionOf);
  }

  /** Those whose reserved output is spent. */
  contested(): JournalTransaction[] {
    return this.#database.rows`SELECT * FROM transactions WHERE ${IS_OPEN} AND id IN
      (SELECT reserved_by FROM outputs WHERE reserved_by IS NOT NULL AND spent_height IS NOT NULL)
      ORDER BY id`.map(transactionOf);
  }

  /** Those that the node may not have. */
  unsent(): JournalTransaction[] {
    return this.#database.rows`SELECT * FROM transactions WHERE ${IS_UNSENT} ORDER BY id`.map(
      transactionOf,
    );
  }

  /** Those that the node has taken. */
  known(): JournalTransaction[] {
    return this.#database.rows`SELECT * FROM transactions WHERE ${IS_OPEN} AND state = 'known'
      ORDER BY id`.map(transactionOf);
  }

  /** The newest transaction in place of this one that the node did not refuse. */
  replacementOf(id: number): JournalTransaction | undefined {
    const row = this.#database.row`SELECT * FROM transactions
      WHERE replaces = ${id} AND refusal IS NULL ORDER BY id DESC LIMIT 1`;
    return maybe(row, transactionOf);
  }

  /** The row of an open transaction that spends the same coins: the one replaced, or another in place of it. */
  openRival({ id, replaces }: Pick<JournalTransaction, 'id' | 'replaces'>): number | undefined {
    const replaced = replaces ?? id;
    const row = this.#database.row`SELECT id FROM transactions
      WHERE (id = ${replaced} OR replaces = ${replaced}) AND id <> ${id} AND ${IS_OPEN}
      ORDER BY id LIMIT 1`;
    return maybe(row, (rival) => numberOf(rival, 'id'));
  }

  /** Gives a transaction its bytes that had none; others than the first are never sent. */
  addWire(id: number, wire: Uint8Array): void {
    this.#database.transaction(() => {
      const { changes } = this.#database.run`UPDATE transactions SET has_wire = 1
        WHERE id = ${id} AND has_wire = 0 AND ${IS_OPEN}`;
      if (changes === 1) this.#addWire(id, wire);
    });
  }

  recordAttempt(id: number): void {
    this.#database.run`UPDATE transactions SET attempts = attempts + 1,
        state = CASE state WHEN 'built' THEN 'submitted' ELSE state END
      WHERE id = ${id} AND state IN ('built', 'submitted', 'known')`;
  }

  /** The newest attempt is none: the node certainly does not have the transaction from it. */
  takeBackAttempt(id: number): void {
    this.#database.run`UPDATE transactions SET attempts = attempts - 1,
        state = CASE WHEN attempts = 1 AND unanswered = 0 THEN 'built' ELSE state END
      WHERE id = ${id} AND state = 'submitted' AND attempts > 0`;
  }

  recordUnanswered(id: number): void {
    this.#database.run`UPDATE transactions SET unanswered = unanswered + 1 WHERE id = ${id}`;
  }

  markKnown(id: number): void {
    this.#database.run`UPDATE transactions SET state = 'known' WHERE id = ${id} AND ${IS_UNSENT}`;
  }

  /** Marks a transaction that the node does not have any more as one to be sent again. */
  markLost(id: number): void {
    this.#database.run`UPDATE transactions SET state = 'submitted'
      WHERE id = ${id} AND state = 'known'`;
  }

  recordRefusal(id: number, refusal: string): void {
    this.#database.run`UPDATE transactions SET state = 'refused', refusal = ${refusal}
      WHERE id = ${id} AND ${IS_UNSENT}`;
  }

  settle(id: number, { outcome, height, proof }: Settlement): void {
    this.#database.run`UPDATE transactions
      SET state = 'final', outcome = ${outcome}, final_height = ${height}, proof = ${proof}
      WHERE id = ${id} AND ${IS_OPEN}`;
  }

  /** Transactions in the order in which they were recorded. */
  transactionsAfter(id: number, limit: number): JournalTransaction[] {
    return this.#database.rows`SELECT * FROM transactions WHERE id > ${id}
      ORDER BY id LIMIT ${limit}`.map(transactionOf);
  }

  /** Adds a transaction of the journal copy. Its bytes are lost, and it may have been executed. */
  addRecovered(lost: Omit<NewTransaction, 'wire'>): number {
    return this.#database.run`INSERT INTO transactions(request, kind, transaction_id, valid_until,
        amount, fee, recipients, state, attempts, unanswered, created_at_millis, replaces)
      VALUES(${lost.request}, ${lost.kind}, ${lost.transactionId}, ${lost.validUntil},
        ${lost.amount}, ${lost.fee}, ${lost.recipients}, 'submitted', 1, 1,
        ${lost.createdAtMillis}, ${lost.replaces})`.id;
  }

  /** Forgets the bytes of transactions that were decided up to a height. */
  forgetWires(upToHeight: number): void {
    this.#database.run`DELETE FROM wires WHERE transaction_row IN
      (SELECT id FROM transactions WHERE has_wire = 1 AND final_height <= ${upToHeight})`;
    this.#database.run`UPDATE transactions SET has_wire = 0
      WHERE has_wire = 1 AND final_height <= ${upToHeight}`;
  }

  /**
   * Forgets the bytes of transactions that were decided above a height and up to another, and can be executed at none above
   * a third. A caller that calls it at every cut looks at each transaction once, however long others are valid.
   */
  forgetPastWires(aboveHeight: number, upToHeight: number, pastHeight: number): void {
    this.#database.run`DELETE FROM wires WHERE transaction_row IN (SELECT id FROM transactions
      WHERE has_wire = 1 AND final_height > ${aboveHeight} AND final_height <= ${upToHeight}
        AND valid_until <= ${pastHeight})`;
    this.#database.run`UPDATE transactions SET has_wire = 0
      WHERE has_wire = 1 AND final_height > ${aboveHeight} AND final_height <= ${upToHeight}
        AND valid_until <= ${pastHeight}`;
  }

  /**
   * Opens again what was decided above a height, because the history that decided it is given up. The bytes are sent
   * again where they are still kept; an attempt counts as unanswered, so that no refusal is taken for certain.
   */
  reopenAbove(height: number): void {
    this.#database.run`${REOPEN} AND final_height > ${height}`;
  }

  /** Transactions that were decided below a height, or at it and have a smaller id, newest first. */
  listSettledBefore(height: number, id: number, limit: number): JournalTransaction[] {
    return this.#database.rows`SELECT * FROM transactions
      WHERE final_height IS NOT NULL AND (final_height, id) < (${height}, ${id})
      ORDER BY final_height DESC, id DESC LIMIT ${limit}`.map(transactionOf);
  }
}

function requestOf(row: Row): JournalRequest {
  return {
    id: numberOf(row, 'id'),
    requestId: textOf(row, 'request_id'),
    method: textOf(row, 'method'),
    params: textOf(row, 'params'),
    isAutomatic: flagOf(row, 'automatic'),
    createdAtMillis: numberOf(row, 'created_at_millis'),
    caller: optionalText(row, 'caller'),
    budget: optionalText(row, 'budget'),
    state: textOf(row, 'state') as RequestState,
    result: optionalText(row, 'result'),
    refusal: optionalText(row, 'refusal'),
  };
}

function transactionOf(row: Row): JournalTransaction {
  return {
    id: numberOf(row, 'id'),
    request: numberOf(row, 'request'),
    kind: textOf(row, 'kind'),
    transactionId: textOf(row, 'transaction_id'),
    validUntil: numberOf(row, 'valid_until'),
    amount: amountOf(row, 'amount'),
    fee: amountOf(row, 'fee'),
    recipients: textOf(row, 'recipients'),
    createdAtMillis: numberOf(row, 'created_at_millis'),
    state: textOf(row, 'state') as TransactionState,
    outcome: optionalText(row, 'outcome') as Outcome | null,
    attempts: numberOf(row, 'attempts'),
    unanswered: numberOf(row, 'unanswered'),
    refusal: optionalText(row, 'refusal'),
    finalHeight: optionalNumber(row, 'final_height'),
    replaces: optionalNumber(row, 'replaces'),
    proof: optionalText(row, 'proof'),
  };
}
