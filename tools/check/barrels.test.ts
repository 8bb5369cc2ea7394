import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barrelProblems } from './barrels.ts';

test('barrels: passing everything on is found, names and namespaces are allowed', () => {
  const problemsOf = (text: string): string[] => barrelProblems({ path: 'a.ts', text });
  assert.equal(problemsOf("export * from './b.ts';\nexport * from './c.ts';").length, 2);
  assert.deepEqual(problemsOf("export { b } from './b.ts';\nexport * as c from './c.ts';"), []);
});
