/**
 * Single values of the state, by name.
 */
import type { Database, Row } from './database.ts';

export type MetaName =
  | 'fingerprint'
  | 'network'
  | 'chain_id'
  | 'manifest'
  | 'indexed_height'
  | 'restore_height'
  | 'generation'
  | 'gap'
  | 'swept_atoms'
  | 'swept_at_millis';

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
