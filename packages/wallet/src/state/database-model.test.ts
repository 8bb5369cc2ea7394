/**
 * Lazy work against a list in memory: pieces of it that fail anywhere are taken back whole, and what came before them in
 * the same transaction stays, row numbers included. What is on the disk is looked at by opening the file again.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import { Database, numberOf, type Row, textOf } from './database.ts';

const RUNS = Number(process.env['SVC_MODEL_RUNS'] ?? 60);

type Change = { readonly type: 'add' | 'remove' | 'rename'; readonly at: number };
type Step =
  | { readonly type: 'piece'; readonly changes: readonly Change[]; readonly fails: boolean }
  | { readonly type: 'one'; readonly change: Change; readonly fails: boolean }
  | { readonly type: 'commit' | 'open' };

const change: fc.Arbitrary<Change> = fc.record({
  type: fc.constantFrom('add', 'add', 'remove', 'rename'),
  at: fc.nat(9),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('piece' as const),
      changes: fc.array(change, { minLength: 1, maxLength: 5 }),
      fails: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('one' as const), change, fails: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('commit' as const, 'open' as const) }),
  },
);

/** Rows by number, and the number of the newest that there ever was. */
interface Model {
  rows: Map<number, string>;
  last: number;
}

class Rows {
  readonly #path: string;
  #database: Database;
  #model: Model = { rows: new Map(), last: 0 };
  #names = 0;

  constructor(path: string) {
    this.#path = path;
    writeFileSync(path, '', { mode: 0o600 });
    this.#database = new Database(path);
    this.#database.execute(
      'CREATE TABLE rows(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE)',
    );
  }

  take(step: Step): void {
    if (step.type === 'piece') this.#tryPiece(step.changes, step.fails);
    else if (step.type === 'one') this.#tryOne(step.change, step.fails);
    else if (step.type === 'commit') this.#database.flushNow();
    else {
      this.#database.close();
      this.#database = new Database(this.#path);
    }
    this.#compare();
  }

  close(): void {
    this.#database.close();
  }

  #tryPiece(changes: readonly Change[], fails: boolean): void {
    const before = { ...this.#model, rows: new Map(this.#model.rows) };
    const work = (): void => {
      for (const one of changes) this.#change(one);
      if (fails) throw new Error('refused');
    };
    if (!fails) this.#database.lazily(work);
    else {
      assert.throws(() => this.#database.lazily(work), /refused/);
      this.#model = before;
    }
  }

  #tryOne(one: Change, fails: boolean): void {
    const [taken] = this.#model.rows.values();
    if (!fails || taken === undefined) {
      this.#database.lazilyOne(() => this.#change(one));
      return;
    }
    const insert = this.#database.prepare('INSERT INTO rows(name) VALUES(?)');
    assert.throws(() => this.#database.lazilyOne(() => void insert.run(taken)), /UNIQUE/);
  }

  #change({ at, type }: Change): void {
    const { rows } = this.#model;
    const ids = [...rows.keys()];
    const id = ids[at % Math.max(1, ids.length)] ?? 0;
    const name = `name ${this.#names++}`;
    if (type === 'add') {
      const added = this.#database.prepare('INSERT INTO rows(name) VALUES(?)').run(name);
      rows.set(++this.#model.last, name);
      assert.equal(Number(added.lastInsertRowid), this.#model.last);
    } else if (type === 'remove') {
      this.#database.prepare('DELETE FROM rows WHERE id = ?').run(id);
      rows.delete(id);
    } else {
      this.#database.prepare('UPDATE rows SET name = ? WHERE id = ?').run(name, id);
      if (rows.has(id)) rows.set(id, name);
    }
  }

  #compare(): void {
    const found = this.#database.prepare('SELECT * FROM rows ORDER BY id').all() as Row[];
    assert.deepEqual(
      found.map((row) => [numberOf(row, 'id'), textOf(row, 'name')]),
      [...this.#model.rows].sort(([a], [b]) => a - b),
    );
  }
}

test('lazy work that fails is taken back, and what others did before it is not', (t) => {
  const directory = temporaryDirectory(t, MEMORY_PARENT);
  let files = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const rows = new Rows(join(directory, `state${files++}`));
      try {
        for (const one of steps) rows.take(one);
      } finally {
        rows.close();
      }
    }),
    { numRuns: RUNS },
  );
});
