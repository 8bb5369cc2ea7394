/**
 * A state in memory: the view that `applyCut` reads, and the application of its changes. For tests and
 * simulations.
 */
import { invariant } from '../assertion.ts';
import { type Identifier, numberKey } from '../identifiers.ts';
import { TABLES, type Table, type Tables } from '../records.ts';
import type { Change, StateView } from '../view.ts';

type TableMaps = { [T in Table]: Map<string, Tables[T]> };

export class MemoryState implements StateView {
  readonly #tables: TableMaps = Object.fromEntries(
    TABLES.map((table) => [table, new Map()]),
  ) as unknown as TableMaps;
  readonly #sorted = Object.fromEntries(TABLES.map((table) => [table, []])) as unknown as Record<
    Table,
    string[]
  >;

  get<T extends Table>(table: T, key: string): Tables[T] | undefined {
    return this.#tables[table].get(key);
  }

  positionIdsOf(validatorId: Identifier, after: Identifier | null, limit: number): Identifier[] {
    return this.keys('positions')
      .filter((id) => after === null || id > after)
      .filter((id) => this.get('positions', id)?.validatorId === validatorId)
      .slice(0, limit);
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
    return this.#sorted[table];
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
    const keys = this.#sorted[table];
    if (before === undefined) keys.splice(placeOf(keys, key), 0, key);
    else if (after === undefined) keys.splice(placeOf(keys, key), 1);
  }
}

/** Where the key stands, or would stand, in an ascending list. */
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
