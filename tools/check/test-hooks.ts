/**
 * Several test files share one process, so a `before` or `beforeEach` at the top of a file is a hook of them all: it
 * runs for tests that know nothing of it, and the runner loses the names of tests in files loaded later. What a file
 * needs is made by `await` at its top, or by hooks inside a `describe`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';
import type { Source } from './layers.ts';
import { ROOT, repositoryFiles } from './repository.ts';

const TEST_SOURCE = /^(?:packages\/[^/]+\/(?:src|test)|tools)\/.*\.ts$/;
const HOOK = /^(?:before|beforeEach|afterEach)\(/gm;

export const testHooks: Check = {
  name: 'test hooks',
  run: async () =>
    repositoryFiles()
      .filter((path) => TEST_SOURCE.test(path))
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
      .flatMap(testHookProblems),
};

export function testHookProblems({ path, text }: Source): string[] {
  return [...text.matchAll(HOOK)].map(
    ([hook]) => `${path}: \`${hook}\` at the top is a hook of every file of the process`,
  );
}
