import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineReadProblems } from './engine-reads.ts';

const ENGINE = 'packages/storage/src/key-value/level-store.ts';
const WRITER = 'packages/storage/src/key-value/writer-worker.ts';
const IMPORT = "import { ClassicLevel } from 'classic-level';\n";

test('engine reads: a second importer, a snapshot and reads of the writing thread are found', () => {
  const problemsOf = (path: string, text: string) => engineReadProblems({ path, text }).length;
  assert.equal(problemsOf('packages/node/src/a.ts', IMPORT), 1);
  assert.equal(problemsOf('packages/node/src/a.ts', 'network.snapshot();'), 0);
  assert.equal(problemsOf(ENGINE, `${IMPORT}this.level.getSync(key);`), 0);
  assert.equal(problemsOf(ENGINE, `${IMPORT}const view = this.level.snapshot();`), 1);
  assert.equal(problemsOf(ENGINE, `${IMPORT}level.getSync(key, { snapshot });`), 1);
  assert.equal(problemsOf(WRITER, `${IMPORT}await level.batch().put(key, value).write();`), 0);
  assert.equal(problemsOf(WRITER, `${IMPORT}level.getSync(key);`), 1);
  assert.equal(problemsOf(WRITER, `${IMPORT}level.iterator();`), 1);
  assert.equal(problemsOf(WRITER, `${IMPORT}const view = level.snapshot();`), 1);
});
