/**
 * The committed state as the ledger's view. Lists that the ledger walks (validators, positions of a
 * validator, blocks of an anchor) are kept in memory, because the engine iterates only asynchronously.
 * Records can be fetched ahead, many at once and off the main thread.
 */
import type { Change, Identifier, StateView, Table, Tables } from 'svc-ledger';
import { type Codec, unpacked } from '../codec/codec.ts';
import { STATE_CODECS } from '../codec/state-records.ts';
import type { KeyValueReader } from '../key-value/key-value-store.ts';
import { rangeOf } from '../layout.ts';
import { RecentRecords } from './recent-records.ts';
import { SortedIds } from './sorted-ids.ts';
import { stateKey } from './state-keys.ts';

/** Tables of one record, which is read several times in every cut and large. */
type SingleTable = 'economy' | 'epoch';
/** Read several times by one cut, and often absent: each rule about a registered block looks it up. */
type RepeatedTable = 'registered' | 'pools' | 'blocks' | 'bodies';
const REPEATED: ReadonlySet<Table> = new Set<RepeatedTable>([
  'registered',
  'pools',
  'blocks',
  'bodies',
]);
type ListedTable = 'validators' | 'positions' | 'blocks';

/** Stands for an absent record: no value is undefined, so that one lookup of a map is enough. */
const ABSENT = Symbol('absent');

type FetchedRecords = Map<string, Tables[Table] | typeof ABSENT>;

export class StoredState implements StateView {
  readonly #reader: KeyValueReader;
  readonly #validators = new SortedIds();
  readonly #positions = new Map<Identifier, SortedIds>();
  readonly #blocks = new Map<number, SortedIds>();
  readonly #singles = new Map<SingleTable, Tables[SingleTable] | undefined>();
  readonly #fetched = new Map<Table, FetchedRecords>();
  readonly #recent = new RecentRecords();

  constructor(reader: KeyValueReader) {
    this.#reader = reader;
  }

  get<T extends Table>(table: T, key: string): Tables[T] | undefined {
    if (isSingle(table) && this.#singles.has(table)) {
      return this.#singles.get(table) as Tables[T] | undefined;
    }
    const known = this.#fetched.get(table)?.get(key);
    if (known !== undefined) return known === ABSENT ? undefined : (known as Tables[T]);
    const recent = this.#recent.get(table, key);
    if (recent !== undefined) return recent;
    const record = this.#reader.getSync(stateKey(table, key));
    const value = record === undefined ? undefined : unpacked(STATE_CODECS[table], record, table);
    this.#recent.set(table, key, value);
    if (isRepeated(table)) this.#fetchedOf(table).set(key, value ?? ABSENT);
    if (isSingle(table)) this.#singles.set(table, value as Tables[SingleTable] | undefined);
    return value;
  }

  /** Fetches records ahead of their use; they are kept until the next commit. */
  async fetch<T extends Table>(table: T, keys: readonly string[]): Promise<void> {
    const fetched = this.#fetchedOf(table);
    const unknown = keys.filter(
      (key) => !fetched.has(key) && this.#recent.get(table, key) === undefined,
    );
    const records = await this.#reader.getMany(
      unknown.map((key) => stateKey(table, key)),
      { isOnce: table === 'outputs' },
    );
    unknown.forEach((key, index) => {
      const record = records[index];
      const value = record === undefined ? undefined : unpacked(STATE_CODECS[table], record, table);
      fetched.set(key, value ?? ABSENT);
    });
  }

  /** Reads a record that is asked for several times; it is kept until the next commit. */
  keep<T extends Table>(table: T, key: string): Tables[T] | undefined {
    const record = this.get(table, key);
    this.#fetchedOf(table).set(key, record ?? ABSENT);
    return record;
  }

  /** Remembers until the next commit that there are no records under these keys. */
  expectAbsent(table: Table, keys: Iterable<string>): void {
    const fetched = this.#fetchedOf(table);
    for (const key of keys) fetched.set(key, ABSENT);
  }

  #fetchedOf(table: Table): FetchedRecords {
    const known = this.#fetched.get(table);
    if (known !== undefined) return known;
    const made: FetchedRecords = new Map();
    this.#fetched.set(table, made);
    return made;
  }

  positionIdsOf(validatorId: Identifier, after: Identifier | null, limit: number): Identifier[] {
    return this.#positions.get(validatorId)?.page(after, limit) ?? [];
  }

  validatorIds(): Identifier[] {
    return this.#validators.page(null, Number.MAX_SAFE_INTEGER);
  }

  blockIdsOf(anchorHeight: number): Identifier[] {
    return this.#blocks.get(anchorHeight)?.page(null, Number.MAX_SAFE_INTEGER) ?? [];
  }

  /** Fills the lists from the store. */
  async load(): Promise<void> {
    await this.#loadTable('validators');
    await this.#loadTable('positions');
    await this.#loadTable('blocks');
  }

  async #loadTable(table: ListedTable): Promise<void> {
    const codec = STATE_CODECS[table] as unknown as Codec<Tables[ListedTable]>;
    for await (const entries of this.#reader.scan(rangeOf(table))) {
      for (const [key, value] of entries) {
        const name = Buffer.from(key.buffer, key.byteOffset + 1, key.byteLength - 1);
        this.#list(table, name.toString('hex'), unpacked(codec, value, table), true);
      }
    }
  }

  /** Brings the lists up to a commit, and forgets the records that were fetched before it. */
  follow(changes: readonly Change[]): void {
    this.#fetched.clear();
    for (const { table, key, before, after } of changes) {
      this.#recent.set(table, key, after);
      if (table === 'economy' || table === 'epoch') this.#singles.set(table, after);
      if (table !== 'validators' && table !== 'positions' && table !== 'blocks') continue;
      const record = after ?? before;
      if (record !== undefined) this.#list(table, key, record, after !== undefined);
    }
  }

  #list(table: ListedTable, key: string, record: Tables[ListedTable], present: boolean): void {
    if (table === 'validators') {
      this.#validators.set(key, present);
    } else if (table === 'positions') {
      const { validatorId } = record as Tables['positions'];
      setIn(this.#positions, validatorId, key, present);
    } else {
      const at = key.length - 96;
      setIn(this.#blocks, Number.parseInt(key.slice(0, at), 16), key.slice(at), present);
    }
  }
}

function isSingle(table: Table): table is SingleTable {
  return table === 'economy' || table === 'epoch';
}

function isRepeated(table: Table): table is RepeatedTable {
  return REPEATED.has(table);
}

function setIn<K>(lists: Map<K, SortedIds>, name: K, id: Identifier, present: boolean): void {
  const list = lists.get(name) ?? new SortedIds();
  list.set(id, present);
  if (list.size === 0) lists.delete(name);
  else lists.set(name, list);
}
