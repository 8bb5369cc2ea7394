import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineReadProblems } from './engine-reads.ts';

const ENGINE = 'packages/storage/src/key-value/level-store.ts';
const IMPORT = "import { ClassicLevel } from 'classic-level';\n";

test('engine reads: a second importer, a snapshot and a second thread are found', () => {
  const problemsOf = (path: string, text: string) => engineReadProblems({ path, text }).length;
  assert.equal(problemsOf('packages/node/src/a.ts', IMPORT), 1);
  assert.equal(problemsOf('packages/node/src/a.ts', 'network.snapshot();'), 0);
  assert.equal(problemsOf(ENGINE, `${IMPORT}this.level.getSync(key);`), 0);
  assert.equal(problemsOf(ENGINE, `${IMPORT}const view = this.level.snapshot();`), 1);
  assert.equal(problemsOf(ENGINE, `${IMPORT}level.getSync(key, { snapshot });`), 1);
  assert.equal(problemsOf(ENGINE, `${IMPORT}level.open({ multithreading: true });`), 1);
});
