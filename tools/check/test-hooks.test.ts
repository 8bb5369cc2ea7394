import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testHookProblems } from './test-hooks.ts';

test('test hooks: those at the top of a file are found, those of a suite and `after` are allowed', () => {
  const problemsOf = (text: string): string[] => testHookProblems({ path: 'a.test.ts', text });
  assert.equal(
    problemsOf('before(() => init());\nbeforeEach(clear);\nafterEach(clear);').length,
    3,
  );
  assert.deepEqual(
    problemsOf("describe('a', () => {\n  before(() => init());\n});\nafter(close);"),
    [],
  );
});
