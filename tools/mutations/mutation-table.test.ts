import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../check/repository.ts';
import { mapRows, shownRows } from '../check/spec-rows.ts';
import { isOfFile, mutated, parseMutations, readMutations } from './mutation-table.ts';

test('every mutation is of a test file or of a row that tests show, and its text stands in its file once', () => {
  const known = new Set(mapRows().map(({ id }) => id));
  const shown = shownRows();
  const stale = readMutations().filter((mutation) => {
    const isShown = isOfFile(mutation)
      ? existsSync(join(ROOT, mutation.id))
      : known.has(mutation.id) && shown.has(mutation.id);
    assert.ok(isShown, mutation.id);
    return mutated(readFileSync(join(ROOT, mutation.file), 'utf8'), mutation) === undefined;
  });
  assert.deepEqual(
    stale.map(({ id, file, text }) => `${id} ${file}: ${text}`),
    [],
    'mend the table of mutations with the code',
  );
});

test('every row has a mutation', () => {
  const ids = new Set(readMutations().map(({ id }) => id));
  const without = mapRows().filter(({ id }) => !ids.has(id));
  assert.deepEqual(without, []);
});

test('a block names rows, a file, a text and its replacement; a text that occurs twice is not mutated', () => {
  const file = 'src/x.test.ts src/x.ts\n- one\n+ two\n';
  assert.deepEqual(parseMutations(file, 'table'), [
    { id: 'src/x.test.ts', file: 'src/x.ts', text: 'one', replacement: 'two' },
  ]);
  const table = '# why\nA-01 B-02 x.ts\n- one\\n  two\n+ three\n\n\nC-03 y.ts\n- gone\n+ \n';
  const [first, second, third] = parseMutations(table, 'table');
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  assert.deepEqual([first.id, second.id, third.id], ['A-01', 'B-02', 'C-03']);
  assert.equal(mutated('zero one\n  two', first), 'zero three');
  assert.equal(mutated('gone!', third), '!');
  assert.equal(mutated('gone gone', third), undefined);
  assert.equal(mutated('nothing', third), undefined);
  for (const wrong of ['A-01 x.ts\n- a\n', 'a x.ts\n- a\n+ b\n', 'A-01 x.ts\n- a\n+ a\n'])
    assert.throws(() => parseMutations(wrong, 'table'), /table: /);
});
