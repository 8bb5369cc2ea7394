/**
 * Records of the committed state that were read or written lately, as the ledger sees them. Most outputs are spent soon after
 * they were made, and each is asked for several times; the database would be read and the record unpacked each
 * time. Only records that are there are kept, and whoever commits a change brings them up to it.
 */
import type { Table, Tables } from 'svc-ledger';

/** How many records are kept: about 15 MB of outputs and 10 MB of keys. */
const KEPT_MAX = { outputs: 32_768, keys: 4_096 } as const satisfies Partial<Record<Table, number>>;

type KeptTable = keyof typeof KEPT_MAX;

export class RecentRecords {
  readonly #kept = {
    outputs: new Map<string, Tables['outputs']>(),
    keys: new Map<string, Tables['keys']>(),
  };

  get<T extends Table>(table: T, key: string): Tables[T] | undefined {
    if (!isKept(table)) return undefined;
    return this.#kept[table].get(key) as Tables[T] | undefined;
  }

  /** Remembers what the committed state has under a key; undefined if that is nothing. */
  set<T extends Table>(table: T, key: string, record: Tables[T] | undefined): void {
    if (!isKept(table)) return;
    const kept = this.#kept[table] as Map<string, Tables[Table]>;
    if (record === undefined) {
      kept.delete(key);
      return;
    }
    kept.set(key, record);
    if (kept.size <= KEPT_MAX[table]) return;
    for (const oldest of kept.keys()) {
      kept.delete(oldest);
      return;
    }
  }
}

function isKept(table: Table): table is KeptTable {
  return table === 'outputs' || table === 'keys';
}
