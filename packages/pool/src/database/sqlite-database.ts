/**
 * Accounting in one file: SQLite with a write-ahead log that is synced at every commit. The file is locked for as
 * long as the program runs, since two pools must not write into one book.
 */
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from 'svc-base/pure';
import {
  type Database,
  DatabaseUnavailable,
  type Sql,
  type SqlRow,
  type SqlValue,
  Turnstile,
} from './database.ts';

export class SqliteDatabase implements Database {
  readonly #database: DatabaseSync;
  readonly #turnstile = new Turnstile();
  readonly #sql: Sql = { rows: async (text, values = []) => this.#rows(text, values) };

  constructor(path: string) {
    try {
      this.#database = new DatabaseSync(path, { readBigInts: true });
      this.#database.exec(
        'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE; COMMIT',
      );
    } catch (error) {
      throw new DatabaseUnavailable(`${path}: ${messageOf(error)}`);
    }
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#turnstile.run(async () => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const result = await work(this.#sql);
        this.#database.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  close(): Promise<void> {
    return this.#turnstile.run(async () => this.#database.close());
  }

  #rows(text: string, values: readonly SqlValue[]): readonly SqlRow[] {
    const statement = this.#database.prepare(text.replaceAll(/\$([0-9]+)/g, '?$1'));
    return statement.all(...values) as readonly SqlRow[];
  }
}
