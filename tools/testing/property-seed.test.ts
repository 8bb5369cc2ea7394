import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../check/repository.ts';

const PRINTS_ITS_CASES = `
  import fc from 'fast-check';
  const cases = [];
  fc.assert(fc.property(fc.nat(), (number) => void cases.push(number)), { numRuns: 5 });
  console.log(cases.join(' '));
`;

/** The cases of a property in a process of its own, or what the process wrote when it failed. */
function casesWith(seed?: string): string {
  const hook = `--import=${join(ROOT, 'tools/testing/property-seed.ts')}`;
  const words = [hook, '--input-type=module', '--eval', PRINTS_ITS_CASES];
  const { SVC_PROPERTY_SEED: _, ...env } = process.env;
  const { stdout, stderr, status } = spawnSync(process.execPath, words, {
    cwd: ROOT,
    encoding: 'utf8',
    env: seed === undefined ? env : { ...env, SVC_PROPERTY_SEED: seed },
  });
  return status === 0 ? stdout : stderr;
}

test('a commit tries the same cases of a property in every process, a given seed tries others', () => {
  const cases = casesWith();
  assert.match(cases, /^\d+( \d+){4}\n$/);
  assert.equal(casesWith(), cases);
  assert.notEqual(casesWith('7'), cases);
  assert.match(casesWith('x'), /SVC_PROPERTY_SEED must be a whole number/);
});
