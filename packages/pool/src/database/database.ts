/**
 * The port to a SQL database: transactions, one at a time, in the order in which they were asked for. The same
 * statements go to every implementation; parameters are written `$1`, `$2`. Integers may come back as numbers,
 * bigints or decimal strings: `integerOf` and `bigintOf` read all of them.
 */
export type SqlValue = string | number | bigint | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

export interface Sql {
  rows(text: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
}

export interface Database {
  /** Commits what the work did, durably, or nothing of it if the work throws. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Another program has the database, or it cannot be opened. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** Runs one piece of work after the other. */
export class Turnstile {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => {});
    return done;
  }
}

export function bigintOf(row: SqlRow, column: string): bigint {
  const value = row[column];
  if (value === null || value === undefined) throw new Error(`${column} is empty`);
  return BigInt(value);
}

export function integerOf(row: SqlRow, column: string): number {
  const value = Number(bigintOf(row, column));
  if (!Number.isSafeInteger(value)) throw new Error(`${column} is no safe integer`);
  return value;
}

/** A floating point number. */
export function numberOf(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value === 'number') return value;
  throw new Error(`${column} is no number`);
}

export function textOf(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value === 'string') return value;
  throw new Error(`${column} is no text`);
}

export function optionalTextOf(row: SqlRow, column: string): string | null {
  return row[column] === null ? null : textOf(row, column);
}
