/**
 * What the audit file still lacks. An entry is written in the commit that makes it true, and leaves when the file has it
 * on the disk. Entries are numbered without a gap; the file keeps the numbers.
 */
import { type Database, numberOf, type Row, textOf } from './database.ts';
import { Remembered } from './remembered.ts';

/** What happened to a transaction of the wallet; amounts are in coins. */
export interface AuditEntry {
  /**
   * `made`: recorded, before it leaves; `signed`: this device has signed a payment of a shared wallet; `refused`: the
   * node refused it at once; otherwise its outcome.
   */
  readonly event: 'made' | 'signed' | 'refused' | 'finalized' | 'conflict' | 'expired';
  /** The name of the token; `automatic` or `command-line` where no token asked, null where nobody was recorded. */
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

/** Newest entries that are kept in memory until the file has them; a group of payments adds far fewer. */
const RECENT_MAX = 256;

export class AuditOutbox {
  readonly #statements;
  /** Entries by their numbers; what is not here is in the table. */
  readonly #recent: Remembered<number, string>;

  constructor(database: Database) {
    this.#recent = new Remembered(database, RECENT_MAX);
    this.#statements = {
      add: database.prepare('INSERT INTO audit_outbox(data) VALUES(?)'),
      list: database.prepare(
        'SELECT * FROM audit_outbox WHERE sequence > ? ORDER BY sequence LIMIT ?',
      ),
      remove: database.prepare('DELETE FROM audit_outbox WHERE sequence <= ?'),
      last: database.prepare(
        "SELECT seq AS sequence FROM sqlite_sequence WHERE name = 'audit_outbox'",
      ),
      raise: database.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'audit_outbox'"),
      begin: database.prepare("INSERT INTO sqlite_sequence(name, seq) VALUES('audit_outbox', ?)"),
    };
  }

  /** Adds an `AuditEntry`, as JSON. */
  add(entry: string): void {
    const { lastInsertRowid } = this.#statements.add.run(entry);
    this.#recent.set(Number(lastInsertRowid), entry);
  }

  /** Entries after a number, the next one first: some of them if there are any, and at most so many. */
  after(sequence: number, limit: number): OutboxEntry[] {
    const recent = this.#recentAfter(sequence, limit);
    return recent.length > 0 ? recent : this.#readAfter(sequence, limit);
  }

  #recentAfter(sequence: number, limit: number): OutboxEntry[] {
    const entries: OutboxEntry[] = [];
    for (let next = sequence + 1; entries.length < limit; next++) {
      const data = this.#recent.find(next);
      if (data === undefined) break;
      entries.push({ sequence: next, data });
      this.#recent.forget(next);
    }
    return entries;
  }

  #readAfter(sequence: number, limit: number): OutboxEntry[] {
    return (this.#statements.list.all(sequence, limit) as Row[]).map((row) => ({
      sequence: numberOf(row, 'sequence'),
      data: textOf(row, 'data'),
    }));
  }

  removeUpTo(sequence: number): void {
    this.#statements.remove.run(sequence);
  }

  /** The number of the newest entry that was ever added, 0 if none was. */
  last(): number {
    const row = this.#statements.last.get() as Row | undefined;
    return row === undefined ? 0 : numberOf(row, 'sequence');
  }

  /** Numbers begin after this one: a state from a backup does not use those that the file has. */
  raise(sequence: number): void {
    if (this.#statements.raise.run(sequence).changes === 0n) this.#statements.begin.run(sequence);
  }
}
