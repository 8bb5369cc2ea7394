/**
 * The record of everything the wallet sends. A request is what a caller asked for under a name of its own; it
 * leads to one transaction or several. The signed bytes of a transaction are in here before they leave, and no
 * other bytes are ever sent for it; they go some time after its outcome is final.
 */
import {
  amountOf,
  type Database,
  flagOf,
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
  /** The name of the token that the caller had; null if nobody was named. */
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

export class Journal {
  readonly #database: Database;
  readonly #statements;
  readonly #attempts;
  readonly #recovery;
  readonly #replacing;
  readonly #wires;

  constructor(database: Database) {
    this.#database = database;
    this.#statements = prepareAll(database);
    this.#attempts = prepareAttempts(database);
    this.#recovery = prepareRecovery(database);
    this.#replacing = prepareReplacing(database);
    this.#wires = prepareWires(database);
  }

  /** Adds a request, with its result where it is made already. */
  addRequest(request: NewRequest, state: RequestState, result: string | null = null): number {
    const { lastInsertRowid } = this.#statements.addRequest.run(
      request.requestId,
      request.method,
      request.params,
      request.isAutomatic ? 1 : 0,
      state,
      request.createdAtMillis,
      request.caller ?? null,
      request.budget ?? null,
      result,
    );
    return Number(lastInsertRowid);
  }

  findRequest(requestId: string): JournalRequest | undefined {
    const row = this.#statements.findRequest.get(requestId) as Row | undefined;
    return row === undefined ? undefined : requestOf(row);
  }

  request(id: number): JournalRequest {
    return requestOf(this.#statements.request.get(id) as Row);
  }

  /** Requests to go on with: accepted, without their end, and not held. */
  acceptedRequests(): JournalRequest[] {
    return (this.#statements.acceptedRequests.all() as Row[]).map(requestOf);
  }

  finishRequest(id: number, result: string): void {
    this.#statements.finishRequest.run(result, id);
  }

  /** Adds a transaction; one that is sent right after its commit comes with its first attempt. */
  addTransaction(transaction: NewTransaction, isSentNext = false): number {
    const { lastInsertRowid } = this.#statements.addTransaction.run(
      transaction.request,
      transaction.kind,
      transaction.transactionId,
      transaction.validUntil,
      transaction.amount,
      transaction.fee,
      transaction.recipients,
      isSentNext ? 'submitted' : 'built',
      isSentNext ? 1 : 0,
      transaction.wire === null ? 0 : 1,
      transaction.createdAtMillis,
      transaction.replaces ?? null,
    );
    if (transaction.wire !== null) this.#wires.add.run(lastInsertRowid, transaction.wire);
    return Number(lastInsertRowid);
  }

  /** The row of the newest transaction, 0 if there is none. */
  newest(): number {
    return numberOf(this.#recovery.newest.get() as Row, 'id');
  }

  transaction(id: number): JournalTransaction {
    return transactionOf(this.#statements.transaction.get(id) as Row);
  }

  /** The signed bytes; null if they are not kept any more. */
  wireOf(id: number): Uint8Array | null {
    const row = this.#wires.get.get(id) as Row | undefined;
    return row === undefined ? null : (row['wire'] as Uint8Array);
  }

  findTransaction(transactionId: string): JournalTransaction | undefined {
    const row = this.#statements.findTransaction.get(transactionId) as Row | undefined;
    return row === undefined ? undefined : transactionOf(row);
  }

  transactionsOf(request: number): JournalTransaction[] {
    return (this.#statements.transactionsOf.all(request) as Row[]).map(transactionOf);
  }

  /** Transactions whose outcome is not final. */
  open(): JournalTransaction[] {
    return (this.#statements.open.all() as Row[]).map(transactionOf);
  }

  /** The same behind an id, up to a limit. */
  openAfter(id: number, limit: number): JournalTransaction[] {
    return (this.#statements.openAfter.all(id, limit) as Row[]).map(transactionOf);
  }

  openCount(): number {
    return numberOf(this.#statements.openCount.get() as Row, 'count');
  }

  /** The newest transaction in place of this one that the node did not refuse. */
  replacementOf(id: number): JournalTransaction | undefined {
    const row = this.#replacing.newest.get(id) as Row | undefined;
    return row === undefined ? undefined : transactionOf(row);
  }

  /** The row of an open transaction that spends the same coins: the one replaced, or another in place of it. */
  openRival({ id, replaces }: Pick<JournalTransaction, 'id' | 'replaces'>): number | undefined {
    const replaced = replaces ?? id;
    const row = this.#replacing.rival.get(replaced, replaced, id) as Row | undefined;
    return row === undefined ? undefined : numberOf(row, 'id');
  }

  /** Gives a transaction its bytes that had none; others than the first are never sent. */
  addWire(id: number, wire: Uint8Array): void {
    this.#database.transaction(() => {
      if (Number(this.#wires.claim.run(id).changes) === 1) this.#wires.add.run(id, wire);
    });
  }

  recordAttempt(id: number): void {
    this.#attempts.recordAttempt.run(id);
  }

  /** The newest attempt is none: the node certainly does not have the transaction from it. */
  takeBackAttempt(id: number): void {
    this.#attempts.takeBackAttempt.run(id);
  }

  recordUnanswered(id: number): void {
    this.#attempts.recordUnanswered.run(id);
  }

  markKnown(id: number): void {
    this.#attempts.markKnown.run(id);
  }

  /** Marks a transaction that the node does not have any more as one to be sent again. */
  markLost(id: number): void {
    this.#attempts.markLost.run(id);
  }

  recordRefusal(id: number, refusal: string): void {
    this.#attempts.recordRefusal.run(refusal, id);
  }

  settle(id: number, { outcome, height, proof }: Settlement): void {
    this.#statements.settle.run(outcome, height, proof ?? null, id);
  }

  /** Transactions in the order in which they were recorded. */
  transactionsAfter(id: number, limit: number): JournalTransaction[] {
    return (this.#recovery.after.all(id, limit) as Row[]).map(transactionOf);
  }

  /** Adds a transaction that the journal copy tells of. Its bytes are lost, and it may have been executed. */
  addRecovered(transaction: Omit<NewTransaction, 'wire'>): number {
    const { lastInsertRowid: id } = this.#recovery.add.run(
      transaction.request,
      transaction.kind,
      transaction.transactionId,
      transaction.validUntil,
      transaction.amount,
      transaction.fee,
      transaction.recipients,
      transaction.createdAtMillis,
      transaction.replaces ?? null,
    );
    return Number(id);
  }

  /** Forgets the bytes of transactions that were decided up to a height. */
  forgetWires(upToHeight: number): void {
    this.#wires.forget.run(upToHeight);
    this.#wires.disclaim.run(upToHeight);
  }

  /**
   * Forgets the bytes of transactions that were decided above a height and up to another, and can be executed at none above
   * a third. Who calls it at every cut looks at each transaction once, however long others are valid.
   */
  forgetPastWires(aboveHeight: number, upToHeight: number, pastHeight: number): void {
    this.#wires.forgetPast.run(aboveHeight, upToHeight, pastHeight);
    this.#wires.disclaimPast.run(aboveHeight, upToHeight, pastHeight);
  }

  /**
   * Opens again what was decided above a height, because the history that decided it is given up. The bytes are sent
   * again where they are still kept; an attempt counts as unanswered, so that no refusal is taken for certain.
   */
  reopenAbove(height: number): void {
    this.#statements.reopenAbove.run(height);
  }

  /** Opens a transaction again that is proven not to have been executed, as `reopenAbove` does. */
  reopen(id: number): void {
    this.#statements.reopen.run(id);
  }

  /** Transactions that were decided below a height, or at it and have a smaller id, newest first. */
  listSettledBefore(height: number, id: number, limit: number): JournalTransaction[] {
    return (this.#statements.listSettledBefore.all(height, id, limit) as Row[]).map(transactionOf);
  }
}

/** The columns of a transaction. */
export const TRANSACTION = `id, request, kind, transaction_id, valid_until, amount, fee, recipients, state, outcome, attempts,
  unanswered, refusal, final_height, proof, created_at_millis, replaces`;
/** Says what the index says too, so that it is used. */
export const SETTLED_QUERY = `SELECT ${TRANSACTION} FROM transactions
  WHERE final_height IS NOT NULL AND (final_height, id) < (?, ?)
  ORDER BY final_height DESC, id DESC LIMIT ?`;

const REOPEN = `UPDATE transactions
  SET state = CASE WHEN has_wire = 0 THEN 'known' ELSE 'submitted' END,
    outcome = NULL, final_height = NULL, proof = NULL, unanswered = unanswered + 1
  WHERE state = 'final'`;

function prepareAll(database: Database) {
  return {
    addRequest: database.prepare(
      `INSERT INTO requests(request_id, method, params, automatic, state, created_at_millis,
         caller, budget, result) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    findRequest: database.prepare('SELECT * FROM requests WHERE request_id = ?'),
    request: database.prepare('SELECT * FROM requests WHERE id = ?'),
    acceptedRequests: database.prepare(
      `SELECT * FROM requests WHERE state = 'accepted'
         AND id NOT IN (SELECT request FROM held_requests) ORDER BY id`,
    ),
    finishRequest: database.prepare("UPDATE requests SET state = 'built', result = ? WHERE id = ?"),
    addTransaction: database.prepare(
      `INSERT INTO transactions(request, kind, transaction_id, valid_until, amount, fee,
         recipients, state, attempts, has_wire, created_at_millis, replaces)
       VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    transaction: database.prepare(`SELECT ${TRANSACTION} FROM transactions WHERE id = ?`),
    findTransaction: database.prepare(
      `SELECT ${TRANSACTION} FROM transactions WHERE transaction_id = ?`,
    ),
    transactionsOf: database.prepare(
      `SELECT ${TRANSACTION} FROM transactions WHERE request = ? ORDER BY id`,
    ),
    open: database.prepare(
      `SELECT ${TRANSACTION} FROM transactions WHERE state <> 'final' ORDER BY id`,
    ),
    openAfter: database.prepare(
      `SELECT ${TRANSACTION} FROM transactions WHERE state <> 'final' AND id > ? ORDER BY id LIMIT ?`,
    ),
    openCount: database.prepare(
      "SELECT COUNT(*) AS count FROM transactions WHERE state <> 'final'",
    ),
    settle: database.prepare(
      `UPDATE transactions SET state = 'final', outcome = ?, final_height = ?, proof = ?
       WHERE id = ? AND state <> 'final'`,
    ),
    reopenAbove: database.prepare(`${REOPEN} AND final_height > ?`),
    reopen: database.prepare(`${REOPEN} AND id = ?`),
    listSettledBefore: database.prepare(SETTLED_QUERY),
  };
}

/** Statements about what was heard of the node. */
function prepareAttempts(database: Database) {
  return {
    recordAttempt: database.prepare(
      `UPDATE transactions SET attempts = attempts + 1,
         state = CASE state WHEN 'built' THEN 'submitted' ELSE state END
       WHERE id = ? AND state IN ('built', 'submitted', 'known')`,
    ),
    takeBackAttempt: database.prepare(
      `UPDATE transactions SET attempts = attempts - 1,
         state = CASE WHEN attempts = 1 AND unanswered = 0 THEN 'built' ELSE state END
       WHERE id = ? AND state = 'submitted' AND attempts > 0`,
    ),
    recordUnanswered: database.prepare(
      'UPDATE transactions SET unanswered = unanswered + 1 WHERE id = ?',
    ),
    markKnown: database.prepare(
      "UPDATE transactions SET state = 'known' WHERE id = ? AND state IN ('built', 'submitted')",
    ),
    markLost: database.prepare(
      "UPDATE transactions SET state = 'submitted' WHERE id = ? AND state = 'known'",
    ),
    recordRefusal: database.prepare(
      `UPDATE transactions SET state = 'refused', refusal = ?
       WHERE id = ? AND state IN ('built', 'submitted')`,
    ),
  };
}

/** Statements about signed bytes, which are in a table of their own; `has_wire` tells which transactions have some. */
function prepareWires(database: Database) {
  return {
    add: database.prepare('INSERT INTO wires VALUES(?, ?)'),
    get: database.prepare('SELECT wire FROM wires WHERE transaction_row = ?'),
    claim: database.prepare(
      "UPDATE transactions SET has_wire = 1 WHERE id = ? AND has_wire = 0 AND state <> 'final'",
    ),
    forget: database.prepare(
      `DELETE FROM wires WHERE transaction_row IN
         (SELECT id FROM transactions WHERE has_wire = 1 AND final_height <= ?)`,
    ),
    disclaim: database.prepare(
      'UPDATE transactions SET has_wire = 0 WHERE has_wire = 1 AND final_height <= ?',
    ),
    forgetPast: database.prepare(
      `DELETE FROM wires WHERE transaction_row IN (SELECT id FROM transactions
         WHERE has_wire = 1 AND final_height > ? AND final_height <= ? AND valid_until <= ?)`,
    ),
    disclaimPast: database.prepare(
      `UPDATE transactions SET has_wire = 0
       WHERE has_wire = 1 AND final_height > ? AND final_height <= ? AND valid_until <= ?`,
    ),
  };
}

/** Statements about transactions that spend the same coins. */
function prepareReplacing(database: Database) {
  return {
    newest: database.prepare(
      `SELECT ${TRANSACTION} FROM transactions WHERE replaces = ? AND refusal IS NULL
       ORDER BY id DESC LIMIT 1`,
    ),
    rival: database.prepare(
      `SELECT id FROM transactions WHERE (id = ? OR replaces = ?) AND id <> ? AND state <> 'final'
       ORDER BY id LIMIT 1`,
    ),
  };
}

function prepareRecovery(database: Database) {
  return {
    after: database.prepare(
      `SELECT ${TRANSACTION} FROM transactions WHERE id > ? ORDER BY id LIMIT ?`,
    ),
    newest: database.prepare('SELECT COALESCE(MAX(id), 0) AS id FROM transactions'),
    add: database.prepare(
      `INSERT INTO transactions(request, kind, transaction_id, valid_until, amount, fee,
         recipients, state, attempts, unanswered, created_at_millis, replaces)
       VALUES(?, ?, ?, ?, ?, ?, ?, 'submitted', 1, 1, ?, ?)`,
    ),
  };
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

export function transactionOf(row: Row): JournalTransaction {
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
