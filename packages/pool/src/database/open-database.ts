/**
 * The database that an operator named: a file, or the URL of a PostgreSQL database.
 */
import type { Database } from './database.ts';
import { SqliteDatabase } from './sqlite-database.ts';

export async function openDatabase(
  name: string,
  onLost: (error: Error) => void,
): Promise<Database> {
  if (!isPostgresUrl(name)) return new SqliteDatabase(name);
  const { PostgresDatabase } = await import('./postgres-database.ts');
  return await PostgresDatabase.open(name, onLost);
}

export function isPostgresUrl(name: string): boolean {
  return /^postgres(ql)?:\/\//.test(name);
}
