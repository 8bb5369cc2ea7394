/**
 * Requests that the daemon does not carry on with by itself. Some were refused for good, although outputs were merged for
 * them: they are numbered in the order in which that happened, so that the journal copy can follow. Others are held until
 * they are asked for again: they came back from a backup without their end, or their token was revoked. Beside them is what
 * budgets have spent, written in the commit that records the payment.
 */
import { amountOf, type Database, maybe, numberOf, type Row } from './database.ts';

/** A request that was refused for good. */
interface Refusal {
  readonly sequence: number;
  /** The row of the request. */
  readonly request: number;
}

export class StoppedRequests {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Refuses a request for good; one that was held is not any more. */
  refuse(request: number, refusal: string): void {
    const database = this.#database;
    database.transaction(() => {
      database.run`UPDATE requests SET state = 'refused', refusal = ${refusal} WHERE id = ${request}`;
      database.run`INSERT INTO refusals(request) VALUES(${request})`;
      this.release(request);
    });
  }

  /** The number of the newest refusal, 0 if there is none. */
  newestRefusal(): number {
    const row = this.#database.row`SELECT COALESCE(MAX(sequence), 0) AS sequence FROM refusals`;
    return sequenceOf(row as Row);
  }

  refusalsAfter(sequence: number, limit: number): Refusal[] {
    return this.#database.rows`SELECT sequence, request FROM refusals WHERE sequence > ${sequence}
      ORDER BY sequence LIMIT ${limit}`.map((row) => ({
      sequence: sequenceOf(row),
      request: numberOf(row, 'request'),
    }));
  }

  /** The number of the refusal of this name; undefined if it was not refused. */
  refusalOf(requestId: string): number | undefined {
    const row = this.#database.row`SELECT sequence FROM refusals
      JOIN requests ON requests.id = refusals.request WHERE requests.request_id = ${requestId}`;
    return maybe(row, sequenceOf);
  }

  /** Holds every request that is accepted and has not come to its end; returns how many are held now. */
  holdAccepted(): number {
    const database = this.#database;
    return database.transaction(() => {
      database.run`INSERT OR IGNORE INTO held_requests
        SELECT id FROM requests WHERE state = 'accepted'`;
      return numberOf(database.row`SELECT COUNT(*) AS count FROM held_requests` as Row, 'count');
    });
  }

  hold(request: number): void {
    this.#database.run`INSERT OR IGNORE INTO held_requests VALUES(${request})`;
  }

  isHeld(request: number): boolean {
    return this.#database.row`SELECT 1 FROM held_requests WHERE request = ${request}` !== undefined;
  }

  release(request: number): void {
    this.#database.run`DELETE FROM held_requests WHERE request = ${request}`;
  }
}

function sequenceOf(row: Row): number {
  return numberOf(row, 'sequence');
}

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
