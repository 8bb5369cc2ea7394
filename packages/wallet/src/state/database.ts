/**
 * One SQLite file that one process has locked. A commit is on the disk when it returns, except one made `lazily`, which
 * is there once `flush` says so. Commits reach the disk in their order. One that fails is fatal, because nobody can say
 * what the file holds then.
 */
import { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { syncDirectorySync } from 'svc-base/node';
import { LastingFailure } from './lasting-failure.ts';

const syncData = promisify(fdatasync);

/** Pages of 4 KiB in the write-ahead log before they go to their places, for which everything waits. */
const LOG_PAGES_MAX = 4_000;

export type Value = null | number | bigint | string | Uint8Array;
/** Integers come as bigints. */
export type Row = Readonly<Record<string, Value>>;

export class Database {
  readonly #sqlite: DatabaseSync;
  /** The write-ahead log, opened a second time to be synced without the connection, beside other work. */
  readonly #log: number;
  readonly #logPath: string;
  #isOpen = true;
  #isWithin = false;
  #isLazy = false;
  /** Lazy commits so far, and how many of them are on the disk. */
  #committed = 0;
  #flushed = 0;
  readonly #failure = new LastingFailure();
  /** Work for the next shared commit. */
  readonly #works: (() => void)[] = [];
  #waiting: Promise<void> | undefined;

  /** Opens a file that exists. Throws the error of SQLite if another connection has locked the file. */
  constructor(path: string) {
    this.#logPath = `${path}-wal`;
    this.#sqlite = new DatabaseSync(path, { readBigInts: true, timeout: 0 });
    try {
      this.#sqlite.exec('PRAGMA locking_mode = EXCLUSIVE');
      this.#sqlite.exec('PRAGMA journal_mode = WAL');
      this.#sqlite.exec('PRAGMA synchronous = FULL');
      this.#sqlite.exec(`PRAGMA wal_autocheckpoint = ${LOG_PAGES_MAX}`);
      this.#sqlite.exec('PRAGMA foreign_keys = ON');
      this.#sqlite.exec('BEGIN EXCLUSIVE');
      this.#sqlite.exec('COMMIT');
      this.#log = openSync(this.#logPath, 'r+');
      syncDirectorySync(dirname(path));
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

  /**
   * Does the work in one transaction that others see at once, and that is on the disk after the next `flush` or the next
   * commit of another kind: until then a machine that loses power loses it, and a process that is killed does not.
   */
  lazily<T>(work: () => T): T {
    if (this.#isWithin || this.#isLazy) return work();
    this.#failure.expectNone();
    this.#sqlite.exec('PRAGMA synchronous = NORMAL');
    this.#isLazy = true;
    this.#committed++;
    try {
      return this.transaction(work);
    } finally {
      this.#isLazy = false;
      this.#sqlite.exec('PRAGMA synchronous = FULL');
    }
  }

  /** As `lazily`, but shares its commit with all other work that comes at about the same time. */
  soon(work: () => void): Promise<void> {
    this.#waiting ??= this.#commitWaiting();
    this.#works.push(work);
    return this.#waiting;
  }

  async #commitWaiting(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#waiting = undefined;
    const works = this.#works.splice(0);
    this.lazily(() => {
      for (const work of works) work();
    });
  }

  /** Resolves when every commit made before the call is on the disk. A failure is fatal. */
  async flush(): Promise<void> {
    this.#failure.expectNone();
    const committed = this.#committed;
    if (committed <= this.#flushed) return;
    await this.#failure.guardAsync(() => syncData(this.#expectLog()));
    this.#flushed = Math.max(this.#flushed, committed);
  }

  /** As `flush`, but everything waits for the disk. */
  flushNow(): void {
    this.#failure.expectNone();
    if (this.#committed <= this.#flushed) return;
    this.#failure.guard(() => fdatasyncSync(this.#expectLog()));
    this.#flushed = this.#committed;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#log);
    this.#sqlite.close();
  }

  /** The log that the connection writes to; one that somebody has removed or replaced is none. */
  #expectLog(): number {
    if (!this.#isOpen) throw new Error('the state is closed');
    const { dev, ino } = fstatSync(this.#log);
    const there = statSync(this.#logPath, { throwIfNoEntry: false });
    if (there?.ino === ino && there.dev === dev) return this.#log;
    throw new Error('the write-ahead log of the state was removed');
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
