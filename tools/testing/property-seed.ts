/**
 * Loaded before the tests of a process: properties are tried with cases that follow from the commit, so that a commit
 * passes everywhere or nowhere, and every commit tries others. A property that names a seed of its own keeps it, and
 * `SVC_PROPERTY_SEED=7 npm test` runs the cases of another.
 */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { ROOT } from '../check/repository.ts';

const VARIABLE = 'SVC_PROPERTY_SEED';

/** Sources without a history have no commit: their cases are always the same. */
function seedOfCommit(): number {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
  return /^[0-9a-f]{40}/.test(stdout ?? '') ? Number.parseInt(stdout.slice(0, 8), 16) | 0 : 1;
}

const told = Number(process.env[VARIABLE] ?? seedOfCommit());
if (!Number.isInteger(told)) throw new Error(`${VARIABLE} must be a whole number`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: told });
