/**
 * Accounting in PostgreSQL, over one connection. A lock of the server is held for as long as the program runs, since
 * two pools must not write into one book. A connection that breaks is not opened again: the program ends and is
 * restarted, and what was not committed was not acknowledged.
 */

import pg from 'pg';
import { messageOf } from 'svc-base/pure';
import { type Database, DatabaseUnavailable, type Sql, Turnstile } from './database.ts';

/** A lock number that no other program uses. */
const LOCK = 2_877_201;
const CONNECT_MILLIS = 10_000;

export class PostgresDatabase implements Database {
  readonly #client: pg.Client;
  readonly #turnstile = new Turnstile();
  readonly #sql: Sql = {
    rows: async (text, values = []) => (await this.#client.query(text, [...values])).rows,
  };

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** `onLost` is called if the connection breaks later. */
  static async open(url: string, onLost: (error: Error) => void): Promise<PostgresDatabase> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_MILLIS,
      application_name: 'svc-pool',
    });
    let isOpen = false;
    client.on('error', (error) => {
      if (isOpen) onLost(error);
    });
    try {
      await client.connect();
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [LOCK]);
      if (rows[0]?.locked !== true) throw new Error('another pool has this database');
    } catch (error) {
      await client.end().catch(() => {});
      throw new DatabaseUnavailable(`the PostgreSQL database: ${messageOf(error)}`);
    }
    isOpen = true;
    return new PostgresDatabase(client);
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#turnstile.run(async () => {
      await this.#client.query('BEGIN');
      try {
        const result = await work(this.#sql);
        await this.#client.query('COMMIT');
        return result;
      } catch (error) {
        await this.#client.query('ROLLBACK').catch(() => {});
        throw error;
      }
    });
  }

  close(): Promise<void> {
    return this.#turnstile.run(() => this.#client.end());
  }
}
