/**
 * Records of the committed state that were read or written lately, as the ledger sees them. Most outputs are spent soon after
 * they were made, and each is asked for several times; the database would be read and the record unpacked each
 * time. Only records that are there are kept, and whoever commits a change brings them up to it.
 */
import type { Table, Tables } from 'svc-ledger';

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

/**
 * Two generations: when the young one is full the old one is dropped whole, so that forgetting costs nothing for each
 * record, and the last half of the limit is always there. Evicting the oldest entry of one map instead would walk over the
 * places of all that were evicted before it.
 */
class RecentTable<R> {
  readonly #generationMax: number;
  #young = new Map<string, R>();
  #old = new Map<string, R>();

  constructor(sizeMax: number) {
    this.#generationMax = sizeMax / 2;
  }

  /** A record of the old generation that is asked for becomes young again. */
  get(key: string): R | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, record: R): void {
    this.#old.delete(key);
    if (this.#young.size >= this.#generationMax && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, record);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}

function isKept(table: Table): table is KeptTable {
  return table === 'outputs' || table === 'keys' || table === 'validators';
}
