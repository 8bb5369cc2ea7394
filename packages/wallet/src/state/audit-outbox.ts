/**
 * What the audit file still lacks. An entry is written in the commit that makes it true, and leaves when the file has it
 * on the disk. Entries are numbered without a gap; the file keeps the numbers.
 */
import { type Database, numberOf, type Row, textOf } from './database.ts';

/** What happened to a transaction of the wallet; amounts are in coins. */
export interface AuditEntry {
  /** `made`: recorded, before it leaves; `refused`: the node refused it at once; otherwise its outcome. */
  readonly event: 'made' | 'refused' | 'finalized' | 'conflict' | 'expired';
  /** The name of the token; `automatic` or `command-line` where no token asked, null where nobody was recorded. */
  readonly caller: string | null;
  readonly request_id: string;
  readonly method: string;
  readonly transaction: string;
  readonly kind: string;
  readonly amount: string;
  readonly fee: string;
  readonly recipients: unknown;
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
  readonly #statements;

  constructor(database: Database) {
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

  add(entry: AuditEntry): void {
    this.#statements.add.run(JSON.stringify(entry));
  }

  after(sequence: number, limit: number): OutboxEntry[] {
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
