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
  readonly #sorted = new Map<Table, readonly string[]>();

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
    const known = this.#sorted.get(table);
    if (known !== undefined) return known;
    const keys = [...this.#tables[table].keys()].sort(compareText);
    this.#sorted.set(table, keys);
    return keys;
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
    if (after === undefined || before === undefined) this.#sorted.delete(table);
  }
}
