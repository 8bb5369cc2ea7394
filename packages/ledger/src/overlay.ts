/**
 * A view with changes on top: what rules write they read back, and the view below stays as it was.
 * The list of changes is ordered by table and key, whatever order they were made in.
 */
import { compareText, type Identifier, numberKey } from './identifiers.ts';
import { type PositionRecord, TABLES, type Table, type Tables } from './records.ts';
import { sortedKeys } from './sort-keys.ts';
import type { Change, StateView } from './view.ts';

/** Stands for an absent record: `undefined` is never stored, so that a map is queried once for each key. */
const ABSENT = Symbol('absent');

type Records<T extends Table> = Map<string, Tables[T] | typeof ABSENT>;

function recordOf<R>(kept: R | typeof ABSENT): R | undefined {
  return kept === ABSENT ? undefined : kept;
}

/** Most cuts touch a few tables; the others get no map. */
class TableMaps {
  readonly #maps: { [T in Table]?: Records<T> } = {};

  of<T extends Table>(table: T): Records<T> {
    return this.find(table) ?? this.#make(table);
  }

  find<T extends Table>(table: T): Records<T> | undefined {
    return this.#maps[table];
  }

  #make<T extends Table>(table: T): Records<T> {
    const made: Records<T> = new Map();
    (this.#maps as { [K in T]: Records<T> })[table] = made;
    return made;
  }
}

export class Overlay implements StateView {
  readonly #below: StateView;
  readonly #written = new TableMaps();
  readonly #read = new TableMaps();
  /** Positions that were written, by validator; some may be deleted again. A position never changes its validator. */
  readonly #positionsOf = new Map<Identifier, Set<Identifier>>();

  constructor(below: StateView) {
    this.#below = below;
  }

  get<T extends Table>(table: T, key: string): Tables[T] | undefined {
    const written = this.#written.find(table)?.get(key);
    return written === undefined ? this.#before(table, key) : recordOf(written);
  }

  put<T extends Table>(table: T, key: string, record: Tables[T]): void {
    this.#written.of(table).set(key, record);
    if (table === 'positions') this.#listPosition(key, (record as PositionRecord).validatorId);
  }

  #listPosition(id: Identifier, validatorId: Identifier): void {
    const listed = this.#positionsOf.get(validatorId);
    if (listed === undefined) this.#positionsOf.set(validatorId, new Set([id]));
    else listed.add(id);
  }

  delete(table: Table, key: string): void {
    this.#written.of(table).set(key, ABSENT);
  }

  /** The record of the view below, read once for each key. */
  #before<T extends Table>(table: T, key: string): Tables[T] | undefined {
    const read = this.#read.of(table);
    const known = read.get(key);
    if (known !== undefined) return recordOf(known);
    const record = this.#below.get(table, key);
    read.set(key, record ?? ABSENT);
    return record;
  }

  positionIdsOf(validatorId: Identifier, after: Identifier | null, limit: number): Identifier[] {
    const ids = new Set<Identifier>();
    let last = after;
    while (ids.size < limit) {
      const page = this.#below.positionIdsOf(validatorId, last, limit);
      for (const id of page) if (this.get('positions', id) !== undefined) ids.add(id);
      if (page.length < limit) break;
      last = page.at(-1) ?? last;
    }
    for (const id of this.#positionsOf.get(validatorId) ?? []) {
      const isGone = this.#written.find('positions')?.get(id) === ABSENT;
      if (!isGone && (after === null || id > after)) ids.add(id);
    }
    return [...ids].sort(compareText).slice(0, limit);
  }

  validatorIds(): Identifier[] {
    const ids = new Set(this.#below.validatorIds());
    for (const [id, record] of this.#written.find('validators') ?? []) {
      if (record === ABSENT) ids.delete(id);
      else ids.add(id);
    }
    return [...ids].sort(compareText);
  }

  blockIdsOf(anchorHeight: number): Identifier[] {
    const prefix = numberKey(anchorHeight);
    const ids = new Set(this.#below.blockIdsOf(anchorHeight));
    for (const [key, record] of this.#written.find('blocks') ?? []) {
      if (!key.startsWith(prefix)) continue;
      const id = key.slice(prefix.length);
      if (record === ABSENT) ids.delete(id);
      else ids.add(id);
    }
    return [...ids].sort(compareText);
  }

  changes(): Change[] {
    return TABLES.flatMap((table) => this.#tableChanges(table));
  }

  #tableChanges<T extends Table>(table: T): Change[] {
    const changes: Change[] = [];
    const written = this.#written.find(table);
    if (written === undefined) return changes;
    for (const key of sortedKeys(written.keys())) {
      const after = recordOf(written.get(key) as Tables[T] | typeof ABSENT);
      const before = this.#before(table, key);
      if (before === after) continue;
      changes.push({ table, key, before, after } as unknown as Change);
    }
    return changes;
  }
}
