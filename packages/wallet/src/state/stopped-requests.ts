/**
 * Requests that the daemon does not carry on with by itself. Some were refused for good, although outputs were merged for
 * them: they are numbered in the order in which that happened, so that the journal copy can follow. Others are held until
 * somebody asks for them again: they came back from a backup without their end, and what became of them may be lost, or the
 * token was revoked that asked for them.
 */
import { type Database, numberOf, type Row } from './database.ts';

/** A request that was refused for good. */
export interface Refusal {
  readonly sequence: number;
  /** The row of the request. */
  readonly request: number;
}

export class StoppedRequests {
  readonly #database: Database;
  readonly #statements;

  constructor(database: Database) {
    this.#database = database;
    this.#statements = prepareAll(database);
  }

  /** Refuses a request for good; whoever held it need not any more. */
  refuse(request: number, refusal: string): void {
    this.#database.transaction(() => {
      this.#statements.refuse.run(refusal, request);
      this.#statements.number.run(request);
      this.#statements.release.run(request);
    });
  }

  /** The number of the newest refusal, 0 if there is none. */
  newestRefusal(): number {
    return numberOf(this.#statements.newest.get() as Row, 'sequence');
  }

  refusalsAfter(sequence: number, limit: number): Refusal[] {
    return (this.#statements.after.all(sequence, limit) as Row[]).map((row) => ({
      sequence: numberOf(row, 'sequence'),
      request: numberOf(row, 'request'),
    }));
  }

  /** The number of the refusal of this name; undefined if it was not refused. */
  refusalOf(requestId: string): number | undefined {
    const row = this.#statements.find.get(requestId) as Row | undefined;
    return row === undefined ? undefined : numberOf(row, 'sequence');
  }

  /** Holds every request that is accepted and has not come to its end; returns how many are held now. */
  holdAccepted(): number {
    return this.#database.transaction(() => {
      this.#statements.hold.run();
      return numberOf(this.#statements.heldCount.get() as Row, 'count');
    });
  }

  hold(request: number): void {
    this.#statements.holdOne.run(request);
  }

  isHeld(request: number): boolean {
    return this.#statements.isHeld.get(request) !== undefined;
  }

  release(request: number): void {
    this.#statements.release.run(request);
  }
}

function prepareAll(database: Database) {
  return {
    refuse: database.prepare("UPDATE requests SET state = 'refused', refusal = ? WHERE id = ?"),
    number: database.prepare('INSERT INTO refusals(request) VALUES(?)'),
    newest: database.prepare('SELECT COALESCE(MAX(sequence), 0) AS sequence FROM refusals'),
    after: database.prepare(
      'SELECT sequence, request FROM refusals WHERE sequence > ? ORDER BY sequence LIMIT ?',
    ),
    find: database.prepare(
      `SELECT sequence FROM refusals JOIN requests ON requests.id = refusals.request
       WHERE requests.request_id = ?`,
    ),
    hold: database.prepare(
      "INSERT OR IGNORE INTO held_requests SELECT id FROM requests WHERE state = 'accepted'",
    ),
    holdOne: database.prepare('INSERT OR IGNORE INTO held_requests VALUES(?)'),
    heldCount: database.prepare('SELECT COUNT(*) AS count FROM held_requests'),
    isHeld: database.prepare('SELECT 1 FROM held_requests WHERE request = ?'),
    release: database.prepare('DELETE FROM held_requests WHERE request = ?'),
  };
}
