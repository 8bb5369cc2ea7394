/**
 * What the audit file still lacks. An entry is written in the commit that makes it true, and leaves when the file has it
 * on the disk. Entries are numbered without a gap; the file keeps the numbers.
 */
import { type Database, maybe, numberOf, textOf } from './database.ts';

/** What happened to a transaction of the wallet; amounts are in coins. */
export interface AuditEntry {
  /**
   * `made`: recorded, before it leaves; `signed`: this device has signed a payment of a shared wallet; `refused`: the
   * node refused it at once; otherwise its outcome.
   */
  readonly event: 'made' | 'signed' | 'refused' | 'finalized' | 'conflict' | 'expired';
  /** The name of the token; `automatic` or `command-line` where no token asked, null where none was recorded. */
  readonly caller: string | null;
  readonly request_id: string;
  readonly method: string;
  readonly transaction: string;
  readonly kind: string;
  readonly amount: string;
  readonly fee: string;
  readonly recipients: unknown;
  /** What was signed: the digest of the package. */
  readonly digest?: string;
  /** The height of the outcome. */
  readonly height?: number;
  /** What the node said when it refused. */
  readonly refusal?: unknown;
}

export interface OutboxEntry {
  readonly sequence: number;
  /** JSON of an entry. */
  readonly data: string;
}

export class AuditOutbox {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds an `AuditEntry`, as JSON. */
  add(entry: string): void {
    this.#database.run`INSERT INTO audit_outbox(data) VALUES(${entry})`;
  }

  /** Entries after a number, the next one first. */
  after(sequence: number, limit: number): OutboxEntry[] {
    return this.#database.rows`SELECT * FROM audit_outbox WHERE sequence > ${sequence}
      ORDER BY sequence LIMIT ${limit}`.map((row) => ({
      sequence: numberOf(row, 'sequence'),
      data: textOf(row, 'data'),
    }));
  }

  removeUpTo(sequence: number): void {
    this.#database.run`DELETE FROM audit_outbox WHERE sequence <= ${sequence}`;
  }

  /** The number of the newest entry that was ever added, 0 if none was. */
  last(): number {
    const row = this.#database
      .row`SELECT seq AS sequence FROM sqlite_sequence WHERE name = 'audit_outbox'`;
    return maybe(row, (newest) => numberOf(newest, 'sequence')) ?? 0;
  }

  /** Numbers begin after this one: a state from a backup does not use those that the file has. */
  raise(sequence: number): void {
    const { changes } = this.#database
      .run`UPDATE sqlite_sequence SET seq = ${sequence} WHERE name = 'audit_outbox'`;
    if (changes === 0)
      this.#database
        .run`INSERT INTO sqlite_sequence(name, seq) VALUES('audit_outbox', ${sequence})`;
  }
}
