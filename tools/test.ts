/**
 * `npm test`: the checks, the release build, then every test of every package in one process, and at the end
 * which test showed which row of the specification.
 * `npm test -- packages/protocol/src/text` runs the tests below that path alone, without checks.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, repositoryFiles } from './check/repository.ts';

const paths = process.argv.slice(2);

function step(title: string, args: readonly string[]): void {
  const status = run(title, args);
  if (status !== 0) end(title, status);
}

function run(title: string, args: readonly string[]): number {
  process.stdout.write(`\n── ${title}\n`);
  const done = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  return done.status ?? 1;
}

function end(title: string, status: number): never {
  process.stderr.write(`${title}: failed\n`);
  process.exit(status);
}

/** After a failure only what failed, so that the reasons above stay in sight. */
function printRows(table: string, failed: boolean): void {
  const lines = table.split('\n').filter((line) => {
    if (/^rows of the specification/.test(line)) return true;
    if (failed) return line.includes('FAILED');
    return paths.length === 0 || !line.endsWith(' not shown');
  });
  process.stdout.write(`\n── rows of the specification\n${lines.join('\n')}\n`);
}

const tests = repositoryFiles()
  .filter((path) => path.endsWith('.test.ts'))
  .filter((path) => paths.length === 0 || paths.some((start) => path.startsWith(start)));
if (tests.length === 0) {
  process.stderr.write(`no test file below ${paths.join(', ')}\n`);
  process.exit(2);
}
if (paths.length === 0) {
  step('checks', ['tools/check.ts']);
  step('release build', ['tools/build.ts']);
}
const scratch = mkdtempSync(join(tmpdir(), 'svc-rows-'));
const rows = join(scratch, 'rows.txt');
const status = run('tests', [
  '--test',
  '--test-isolation=none',
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  '--test-reporter=./tools/testing/row-reporter.ts',
  `--test-reporter-destination=${rows}`,
  '--test-timeout=600000',
  ...tests,
]);
printRows(readFileSync(rows, 'utf8'), status !== 0);
rmSync(scratch, { recursive: true });
if (status !== 0) end('tests', status);
