/**
 * Records of the committed state that were read or written lately, as the ledger sees them. Most outputs are spent soon after
 * they were made, and each is asked for several times; the database would be read and the record unpacked each
 * time. Only records that are there are kept, and each commit updates them.
 */
import type { Table, Tables } from 'svc-ledger';
import { RecentTable } from './recent-table.ts';

/** How many records are kept: about 15 MB of outputs and 10 MB of keys; a node looks at its validators in every cut. */
const KEPT_MAX = {
  outputs: 32_768,
  keys: 4_096,
  validators: 256,
} as const satisfies Partial<Record<Table, number>>;

type KeptTable = keyof typeof KEPT_MAX;

export class RecentRecords {
  readonly #kept = {
    outputs: new RecentTable<Tables['outputs']>(KEPT_MAX.outputs),
    keys: new RecentTable<Tables['keys']>(KEPT_MAX.keys),
    validators: new RecentTable<Tables['validators']>(KEPT_MAX.validators),
  };

  get<T extends Table>(table: T, key: string): Tables[T] | undefined {
    if (!isKept(table)) return undefined;
    return this.#kept[table].get(key) as Tables[T] | undefined;
  }

  /** Remembers what the committed state has under a key; undefined if that is nothing. */
  set<T extends Table>(table: T, key: string, record: Tables[T] | undefined): void {
    if (!isKept(table)) return;
    const kept = this.#kept[table] as RecentTable<Tables[Table]>;
    if (record === undefined) kept.delete(key);
    else kept.set(key, record);
  }
}

function isKept(table: Table): table is KeptTable {
  return table === 'outputs' || table === 'keys' || table === 'validators';
}
