/**
 * The books of a pool, opened: which pool and chain they belong to, and the numbers that come next. Writes and
 * reads are in the other files of this folder; each takes the books' database.
 */
import { randomBytes } from 'node:crypto';
import {
  bigintOf,
  type Database,
  DatabaseUnavailable,
  type Sql,
  textOf,
} from '../database/database.ts';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';

export interface BooksIdentity {
  readonly chainId: string;
  readonly poolAddress: string;
  /** Rewards of cuts up to here are none of this pool's business, if the books are new. */
  readonly height: number;
}

export interface Books {
  readonly database: Database;
  /** Random, and part of every request id for the wallet: new books never repeat an id of old ones. */
  readonly poolId: string;
  /** Blocks registered up to this height were found before there were books. */
  readonly startHeight: number;
}

/** Creates the tables where they are missing, and refuses books of another chain or address. */
export async function openBooks(database: Database, identity: BooksIdentity): Promise<Books> {
  return await database.transaction(async (sql) => {
    for (const statement of SCHEMA) await sql.rows(statement);
    const given: Readonly<Record<string, string>> = {
      schema_version: SCHEMA_VERSION,
      chain_id: identity.chainId,
      pool_address: identity.poolAddress,
      pool_id: randomBytes(8).toString('hex'),
      start_height: String(identity.height),
      cursor_height: String(identity.height),
      carried: '0',
      fees: '0',
    };
    for (const [name, value] of Object.entries(given))
      await sql.rows('INSERT INTO meta VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [
        name,
        value,
      ]);
    for (const name of ['schema_version', 'chain_id', 'pool_address'])
      if ((await readMeta(sql, name)) !== given[name])
        throw new DatabaseUnavailable(
          `the books belong to another ${name}: ${await readMeta(sql, name)}, expected ${given[name]}`,
        );
    // The wallet may have changed its mind, or have been replaced.
    await sql.rows('UPDATE accounts SET held = NULL WHERE held IS NOT NULL');
    return {
      database,
      poolId: await readMeta(sql, 'pool_id'),
      startHeight: Number(await readMeta(sql, 'start_height')),
    };
  });
}

export async function readMeta(sql: Sql, name: string): Promise<string> {
  const [row] = await sql.rows('SELECT value FROM meta WHERE name = $1', [name]);
  if (row === undefined) throw new Error(`the books lack ${name}`);
  return textOf(row, 'value');
}

export async function writeMeta(sql: Sql, name: string, value: string): Promise<void> {
  await sql.rows('UPDATE meta SET value = $2 WHERE name = $1', [name, value]);
}

/** The number after the last one that a table has. */
export async function nextNumber(
  sql: Sql,
  table: 'shares' | 'blocks' | 'rounds' | 'payouts',
): Promise<number> {
  const [row] = await sql.rows(`SELECT COALESCE(MAX(number), 0) AS last FROM ${table}`);
  return row === undefined ? 1 : Number(bigintOf(row, 'last')) + 1;
}
