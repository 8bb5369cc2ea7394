/**
 * One SQLite file that one process has locked. Every commit is on the disk when it returns; a commit that fails is
 * fatal, because nobody can say what the file holds then.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export type Value = null | number | bigint | string | Uint8Array;
/** Integers come as bigints. */
export type Row = Readonly<Record<string, Value>>;

export class Database {
  readonly #sqlite: DatabaseSync;
  #isOpen = true;
  #isWithin = false;

  /** Opens a file that exists. Throws the error of SQLite if another connection has locked the file. */
  constructor(path: string) {
    this.#sqlite = new DatabaseSync(path, { readBigInts: true, timeout: 0 });
    try {
      this.#sqlite.exec('PRAGMA locking_mode = EXCLUSIVE');
      this.#sqlite.exec('PRAGMA journal_mode = WAL');
      this.#sqlite.exec('PRAGMA synchronous = FULL');
      this.#sqlite.exec('PRAGMA foreign_keys = ON');
      this.#sqlite.exec('BEGIN EXCLUSIVE');
      this.#sqlite.exec('COMMIT');
    } catch (error) {
      this.#sqlite.close();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  prepare(sql: string): StatementSync {
    return this.#sqlite.prepare(sql);
  }

  execute(sql: string): void {
    this.#sqlite.exec(sql);
  }

  /** Does the work in one transaction; within another transaction the work is part of that one. */
  transaction<T>(work: () => T): T {
    if (this.#isWithin) return work();
    this.#sqlite.exec('BEGIN IMMEDIATE');
    this.#isWithin = true;
    try {
      const result = work();
      this.#sqlite.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#sqlite.isTransaction) this.#sqlite.exec('ROLLBACK');
      throw error;
    } finally {
      this.#isWithin = false;
    }
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#sqlite.close();
  }
}

export function isLocked(error: unknown): boolean {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' && (code & 0xff) === 5;
}

export function isDamaged(error: unknown): boolean {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' && ((code & 0xff) === 11 || (code & 0xff) === 26);
}

/** Tables or columns are not the ones that the release makes. */
export function isForeignSchema(error: unknown): boolean {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' && (code & 0xff) === 1;
}

// Fields of rows as the types that the tables promise.

export function numberOf(row: Row, name: string): number {
  return Number(row[name]);
}

export function amountOf(row: Row, name: string): bigint {
  return row[name] as bigint;
}

export function textOf(row: Row, name: string): string {
  return row[name] as string;
}

export function optionalText(row: Row, name: string): string | null {
  return row[name] as string | null;
}

export function optionalNumber(row: Row, name: string): number | null {
  const value = row[name];
  return value === null || value === undefined ? null : Number(value);
}

export function flagOf(row: Row, name: string): boolean {
  return row[name] === 1n;
}

export type MetaName =
  | 'fingerprint'
  | 'network'
  | 'chain_id'
  | 'trusted_validators'
  | 'contradiction'
  | 'concealed'
  | 'audited_address'
  | 'journal_copy'
  | 'fixed_addresses'
  | 'recovering'
  | 'webhook_sequence'
  | 'manifest'
  | 'indexed_height'
  | 'restore_height'
  | 'generation'
  | 'gap'
  | 'swept_atoms'
  | 'swept_at_millis';

/** Single values of the state, by name. */
export class Meta {
  readonly #read;
  readonly #write;
  readonly #remove;

  constructor(database: Database) {
    this.#read = database.prepare('SELECT value FROM meta WHERE name = ?');
    this.#write = database.prepare(
      'INSERT INTO meta(name, value) VALUES(?, ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value',
    );
    this.#remove = database.prepare('DELETE FROM meta WHERE name = ?');
  }

  get(name: MetaName): string | undefined {
    return (this.#read.get(name) as Row | undefined)?.['value'] as string | undefined;
  }

  set(name: MetaName, value: string): void {
    this.#write.run(name, value);
  }

  remove(name: MetaName): void {
    this.#remove.run(name);
  }

  number(name: MetaName, otherwise: number): number {
    const value = this.get(name);
    return value === undefined ? otherwise : Number(value);
  }
}
