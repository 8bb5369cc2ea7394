/**
 * A state in memory: the view that `applyCut` reads, and the application of its changes. For tests and
 * simulations.
 */
import { invariant } from '../assertion.ts';
import { compareText, type Identifier, numberKey } from '../identifiers.ts';
import { TABLES, type Table, type Tables } from '../records.ts';
import type { Change, StateView } from '../view.ts';

type TableMaps = { [T in Table]: Map<string, Tables[T]> };

export class MemoryState implements StateView {
  readonly #tables: TableMaps = Object.fromEntries(
    TABLES.map((table) => [table, new Map()]),
  ) as unknown as TableMaps;
  /** Keys in order; sorted at the first read, and again after keys were added or removed. */
  readonly #sorted = new Map<Table, string[]>();
  readonly #positions = new Map<Identifier, PositionList>();

  get<T extends Table>(table: T, key: string): Tables[T] | undefined {
    return this.#tables[table].get(key);
  }

  positionIdsOf(validatorId: Identifier, after: Identifier | null, limit: number): Identifier[] {
    const list = this.#positions.get(validatorId);
    if (list === undefined) return [];
    list.sorted ??= [...list.ids].sort(compareText);
    let from = after === null ? 0 : placeOf(list.sorted, after);
    if (after !== null && list.sorted[from] === after) from++;
    return list.sorted.slice(from, from + limit);
  }

  validatorIds(): Identifier[] {
    return [...this.keys('validators')];
  }

  blockIdsOf(anchorHeight: number): Identifier[] {
    const prefix = numberKey(anchorHeight);
    return this.keys('blocks')
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length));
  }

  /** All keys of a table, ascending. */
  keys(table: Table): readonly string[] {
    const sorted = this.#sorted.get(table) ?? [...this.#tables[table].keys()].sort(compareText);
    this.#sorted.set(table, sorted);
    return sorted;
  }

  /** All records of a table, by ascending key. */
  records<T extends Table>(table: T): [string, Tables[T]][] {
    return this.keys(table).map((key) => [key, this.get(table, key) as Tables[T]]);
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) this.#applyOne(change);
  }

  #applyOne<T extends Table>(change: {
    readonly table: T;
    readonly key: string;
    readonly before: Tables[T] | undefined;
    readonly after: Tables[T] | undefined;
  }): void {
    const { table, key, before, after } = change;
    const records: Map<string, Tables[T]> = this.#tables[table];
    invariant(records.get(key) === before, `${table} ${key} is not what the change began from`);
    if (after === undefined) records.delete(key);
    else records.set(key, after);
    if (before !== undefined && after !== undefined) return;
    this.#sorted.delete(table);
    if (table === 'positions') this.#list(key, (after ?? before) as Tables['positions'], after);
  }

  #list(id: Identifier, { validatorId }: Tables['positions'], after: unknown): void {
    const list = this.#positions.get(validatorId) ?? { ids: new Set(), sorted: null };
    this.#positions.set(validatorId, list);
    if (after === undefined) list.ids.delete(id);
    else list.ids.add(id);
    list.sorted = null;
  }
}

interface PositionList {
  readonly ids: Set<Identifier>;
  /** In order, if nothing has changed since the last sorting. */
  sorted: Identifier[] | null;
}

/** The index of the key, or its insertion point, in an ascending list. */
function placeOf(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
