/**
 * One SQLite file that one process has locked. A commit is on the disk when it returns, except what is done `lazily`, which
 * shares a commit with what comes at about the same time and is on the disk once `flush` says so. Commits reach the disk
 * in their order. One that fails is fatal, because the content of the file is unknown then. SQLite itself syncs the log
 * only at a checkpoint, before it moves pages to their places in the file; every other sync is made here.
 */
import { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { syncDirectorySync } from 'svc-base/node';
import { LastingFailure } from './lasting-failure.ts';
import { Remembered } from './remembered.ts';
import { isInUse } from './sqlite-errors.ts';

const syncData = promisify(fdatasync);

/**
 * Memory for pages that were read. SQLite looks at each of them in most commits, which costs more than to read again,
 * from the memory of the system, what has no room.
 */
const CACHE_KIBIBYTES = 4_096;
/** So many pages may be in memory while a transaction changes them, before some are written to the log that it may change again. */
const CHANGED_PAGES_MAX = 8_192;
/** Pages that are copied at a time for a backup; other work comes between. */
const BACKUP_PAGES = 100;
/** A backup whose first pages are wanted within a transaction is given up and begun anew. */
const BACKUP_TRIES_MAX = 1_000;
/** Lazy work that is not flushed waits so long for other work to be committed with. */
const SHARED_MILLIS_MAX = 50;

export type Value = null | number | bigint | string | Uint8Array;
/** Integers come as bigints. */
export type Row = Readonly<Record<string, Value>>;

/** SQL that several statements share. Any other value in a template of SQL is bound. */
export class Fragment {
  readonly sql: string;

  constructor(sql: string) {
    this.sql = sql;
  }
}

type Given = Value | boolean | undefined | Fragment;

export interface DatabaseOptions {
  /** Pages that the log may hold before they are moved to their places in the file. */
  readonly logPagesMax?: number;
  /** Called before pages of the log are moved to their places in the file, each time. */
  readonly beforeMove?: () => void;
}

const PAGE_BYTES = 4_096;
const LOG_PAGES_MAX = 4_000;

export class Database {
  readonly #sqlite: DatabaseSync;
  readonly #control: ReturnType<typeof prepareControl>;
  /** The write-ahead log, opened a second time to be synced without the connection, beside other work. */
  readonly #log: number;
  readonly #logPath: string;
  readonly #logBytesMax: number;
  readonly #beforeMove: () => void;
  #isOpen = true;
  #isWithin = false;
  /** Ends the transaction that lazy work shares; undefined while none is open. */
  #sharedEnd: NodeJS.Timeout | undefined;
  /** What that transaction has changed so far, in order: does it again where later work of it is taken back. */
  readonly #sharedChanges: (() => void)[] = [];
  /** Shared commits so far, and how many of them are on the disk. */
  #committed = 0;
  #flushed = 0;
  /** The sync that is under way, and the newest shared commit that it brings to the disk. */
  #flushing: { readonly upTo: number; readonly done: Promise<void> } | undefined;
  #takenBack = 0;
  /** By their place in the code. */
  readonly #statements = new Map<TemplateStringsArray, StatementSync>();
  readonly #failure = new LastingFailure();

  /** Opens a file that exists. Throws the error of SQLite if another connection has locked the file. */
  constructor(path: string, { beforeMove, logPagesMax = LOG_PAGES_MAX }: DatabaseOptions = {}) {
    this.#beforeMove = beforeMove ?? (() => {});
    this.#logBytesMax = logPagesMax * PAGE_BYTES;
    this.#logPath = `${path}-wal`;
    this.#sqlite = new DatabaseSync(path, { readBigInts: true, timeout: 0 });
    try {
      this.#sqlite.exec('PRAGMA locking_mode = EXCLUSIVE');
      this.#sqlite.exec('PRAGMA journal_mode = WAL');
      this.#sqlite.exec('PRAGMA synchronous = NORMAL');
      this.#sqlite.exec('PRAGMA wal_autocheckpoint = 0');
      // What a statement may have to put back would otherwise be written to a file.
      this.#sqlite.exec('PRAGMA temp_store = MEMORY');
      this.#sqlite.exec(`PRAGMA cache_size = -${CACHE_KIBIBYTES}`);
      this.#sqlite.exec(`PRAGMA cache_spill = ${CHANGED_PAGES_MAX}`);
      this.#sqlite.exec('PRAGMA foreign_keys = ON');
      this.#sqlite.exec('BEGIN EXCLUSIVE');
      this.#sqlite.exec('COMMIT');
      this.#control = prepareControl(this.#sqlite);
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

  /** Grows whenever work failed and what it had changed was taken back. */
  get takenBack(): number {
    return this.#takenBack;
  }

  /** A statement that changes something outside of a transaction is a commit of its own. */
  prepare(sql: string): StatementSync {
    // SQLite plans for the value of a bare limit, and so compiles the statement anew whenever one is bound.
    const statement = this.#sqlite.prepare(sql.replaceAll('LIMIT ?', 'LIMIT ? + 0'));
    return sql.startsWith('SELECT') ? statement : this.#endingShared(statement);
  }

  /** The rows of a query. Fragments of a template must be the same each time. */
  rows(texts: TemplateStringsArray, ...given: readonly Given[]): Row[] {
    return this.#statement(texts, given).all(...boundOf(given));
  }

  /** The first row. */
  row(texts: TemplateStringsArray, ...given: readonly Given[]): Row | undefined {
    return this.#statement(texts, given).get(...boundOf(given));
  }

  /** Changes something. Returns how many rows changed, and the id of the last one that was added. */
  run(texts: TemplateStringsArray, ...given: readonly Given[]): { changes: number; id: number } {
    const { changes, lastInsertRowid } = this.#statement(texts, given).run(...boundOf(given));
    return { changes: Number(changes), id: Number(lastInsertRowid) };
  }

  #statement(texts: TemplateStringsArray, given: readonly Given[]): StatementSync {
    let statement = this.#statements.get(texts);
    if (statement === undefined) {
      const parts = given.map((each) => (each instanceof Fragment ? each.sql : '?'));
      statement = this.prepare(String.raw({ raw: texts }, ...parts));
      this.#statements.set(texts, statement);
    }
    return statement;
  }

  execute(sql: string): void {
    this.#commitShared();
    this.#change(() => this.#sqlite.exec(sql));
    if (!this.#isWithin) this.#endCommit();
  }

  /** Does the work in one transaction; within another transaction the work is part of that one. */
  transaction<T>(work: () => T): T {
    if (this.#isWithin) return work();
    this.#failure.expectNone();
    this.#commitShared();
    this.#control.begin.run();
    this.#isWithin = true;
    let result: T;
    try {
      result = work();
      this.#control.commit.run();
    } catch (error) {
      this.#takenBack++;
      if (this.#sqlite.isTransaction) this.#control.rollback.run();
      throw error;
    } finally {
      this.#isWithin = false;
    }
    this.#endCommit();
    return result;
  }

  /**
   * Does the work whole or not at all, in a transaction that other lazy work shares. This process sees it at
   * once. It is committed before the next `flush`, before any other commit, or after a moment; it is on the disk after
   * the next `flush` or the next commit of another kind. Until then a process that is killed or a machine that loses
   * power may lose it, and everything after it.
   */
  lazily<T>(work: () => T): T {
    if (this.#isWithin) return work();
    this.#failure.expectNone();
    if (this.#sharedEnd === undefined) this.#beginShared();
    const before = this.#sharedChanges.length;
    this.#isWithin = true;
    try {
      return work();
    } catch (error) {
      this.#takenBack++;
      this.#takeBackTo(before);
      throw error;
    } finally {
      this.#isWithin = false;
    }
  }

  /** As `lazily`, for one statement: SQLite itself does a statement whole or not at all. */
  lazilyOne(statement: () => void): void {
    if (this.#isWithin) {
      statement();
      return;
    }
    this.#failure.expectNone();
    if (this.#sharedEnd === undefined) this.#beginShared();
    this.#isWithin = true;
    try {
      statement();
    } catch (error) {
      this.#takenBack++;
      throw error;
    } finally {
      this.#isWithin = false;
    }
  }

  #beginShared(): void {
    this.#control.begin.run();
    this.#sharedEnd = setTimeout(() => {
      try {
        this.#commitShared();
      } catch {
        // The failure lasts: the next flush throws it.
      }
    }, SHARED_MILLIS_MAX);
  }

  /**
   * Takes back what the shared transaction has changed after its first so many changes: all of it, and those are made again.
   * A savepoint would do the same, but SQLite copies every page that changes after one, and nearly nothing is ever taken back.
   */
  #takeBackTo(count: number): void {
    const kept = this.#sharedChanges.splice(0).slice(0, count);
    if (this.#sqlite.isTransaction) this.#control.rollback.run();
    if (kept.length === 0) {
      clearTimeout(this.#sharedEnd);
      this.#sharedEnd = undefined;
      return;
    }
    this.#failure.guard(() => {
      this.#control.begin.run();
      for (const change of kept) this.#change(change);
    });
  }

  /** Changes something; what is part of the shared transaction is kept until that is committed. */
  #change<T>(change: () => T): T {
    const result = change();
    if (this.#sharedEnd !== undefined) this.#sharedChanges.push(change);
    return result;
  }

  #commitShared(): void {
    if (this.#sharedEnd === undefined || this.#isWithin) return;
    clearTimeout(this.#sharedEnd);
    this.#sharedEnd = undefined;
    this.#sharedChanges.length = 0;
    this.#committed++;
    this.#failure.guard(() => {
      this.#control.commit.run();
      this.#shortenLog();
    });
  }

  /**
   * The statement, which outside of any work ends the shared transaction first and is on the disk when it returns.
   */
  #endingShared(statement: StatementSync): StatementSync {
    for (const name of ['all', 'get', 'run'] as const) {
      const call = statement[name] as (...values: unknown[]) => unknown;
      const ending = (...values: unknown[]): unknown => {
        this.#commitShared();
        const result = this.#change(() => call.apply(statement, values));
        if (!this.#isWithin) this.#endCommit();
        return result;
      };
      Object.assign(statement, { [name]: ending });
    }
    return statement;
  }

  /** Resolves when everything done before the call is on the disk. A failure is fatal. */
  async flush(): Promise<void> {
    this.#failure.expectNone();
    this.#commitShared();
    const committed = this.#committed;
    if (committed <= this.#flushed) return;
    if (this.#flushing?.upTo !== committed) {
      const done = this.#failure.guardAsync(() => syncData(this.#expectLog()));
      this.#flushing = { upTo: committed, done };
    }
    await this.#flushing.done;
    this.#flushed = Math.max(this.#flushed, committed);
  }

  /** As `flush`, but everything waits for the disk. */
  flushNow(): void {
    this.#failure.expectNone();
    this.#commitShared();
    if (this.#committed > this.#flushed) this.#syncNow();
  }

  /** Copies everything that is committed into an empty file, while other work goes on; what is committed meanwhile is copied too. */
  async copyTo(path: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      this.#failure.expectNone();
      this.#commitShared();
      try {
        await backup(this.#sqlite, path, { rate: BACKUP_PAGES });
        return;
      } catch (error) {
        if (!hasMetTransaction(error) || tries === BACKUP_TRIES_MAX) throw error;
      }
    }
  }

  /** Ends a commit that is on the disk when it returns. */
  #endCommit(): void {
    this.#syncNow();
    this.#failure.guard(() => this.#shortenLog());
  }

  /** Moves the pages of a long log to their places, between two commits; during a backup a later commit does so. */
  #shortenLog(): void {
    if (fstatSync(this.#log).size < this.#logBytesMax) return;
    this.#beforeMove();
    try {
      this.#control.checkpoint.get();
    } catch (error) {
      if (!isInUse(error)) throw error;
    }
  }

  #syncNow(): void {
    this.#failure.guard(() => fdatasyncSync(this.#expectLog()));
    this.#flushed = this.#committed;
  }

  close(): void {
    if (!this.#isOpen) return;
    try {
      this.#commitShared();
    } finally {
      this.#isOpen = false;
      // SQLite moves what the log holds when it is closed.
      if (fstatSync(this.#log).size > 0) this.#beforeMove();
      closeSync(this.#log);
      this.#sqlite.close();
    }
  }

  /** The log that the connection writes to; one that was removed or replaced is none. */
  #expectLog(): number {
    if (!this.#isOpen) throw new Error('the state is closed');
    const { dev, ino } = fstatSync(this.#log);
    const there = statSync(this.#logPath, { throwIfNoEntry: false });
    if (there?.ino === ino && there.dev === dev) return this.#log;
    throw new Error('the write-ahead log of the state was removed');
  }
}

/**
 * Whether a backup ended because a transaction was open when it began, in another thread. Node waits for the end of one that
 * comes later, but takes a first step without result for the last one, and reports to SQLite an error that is none.
 */
function hasMetTransaction(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 0;
}

/** Statements that begin and end transactions: `exec` would parse them each time. */
function prepareControl(sqlite: DatabaseSync) {
  return {
    begin: sqlite.prepare('BEGIN IMMEDIATE'),
    commit: sqlite.prepare('COMMIT'),
    rollback: sqlite.prepare('ROLLBACK'),
    checkpoint: sqlite.prepare('PRAGMA wal_checkpoint(TRUNCATE)'),
  };
}

function boundOf(given: readonly Given[]): Value[] {
  return given.flatMap((each) => {
    if (each instanceof Fragment) return [];
    return [typeof each === 'boolean' ? Number(each) : (each ?? null)];
  });
}

// Fields of rows as the types that the tables promise.

/** What a row holds, if there is one. */
export function maybe<T>(row: Row | undefined, read: (row: Row) => T): T | undefined {
  return row === undefined ? undefined : read(row);
}

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
  | 'accepted_cut'
  | 'contradiction'
  | 'journal_copy'
  | 'fixed_addresses'
  | 'recovering'
  | 'complete_above'
  | 'reuses_change'
  | 'webhook_sequence'
  | 'manifest'
  | 'indexed_height'
  | 'restore_height'
  | 'rescanning'
  | 'rescan_after'
  | 'past_unproven'
  | 'seeks_used'
  | 'told_up_to'
  | 'generation'
  | 'gap'
  | 'swept_atoms'
  | 'swept_at_millis';

/** Single values of the state, by name. */
export class Meta {
  readonly #database: Database;
  readonly #remembered: Remembered<MetaName, string | undefined>;

  constructor(database: Database) {
    this.#database = database;
    this.#remembered = new Remembered(database);
  }

  get(name: MetaName): string | undefined {
    return this.#remembered.get(name, () =>
      maybe(this.#database.row`SELECT value FROM meta WHERE name = ${name}`, (row) =>
        textOf(row, 'value'),
      ),
    );
  }

  set(name: MetaName, value: string): void {
    this.#remembered.forget(name);
    this.#database.run`INSERT INTO meta(name, value) VALUES(${name}, ${value})
      ON CONFLICT(name) DO UPDATE SET value = excluded.value`;
    this.#remembered.set(name, value);
  }

  remove(name: MetaName): void {
    this.#remembered.forget(name);
    this.#database.run`DELETE FROM meta WHERE name = ${name}`;
    this.#remembered.set(name, undefined);
  }

  number(name: MetaName, otherwise: number): number {
    const value = this.get(name);
    return value === undefined ? otherwise : Number(value);
  }
}
