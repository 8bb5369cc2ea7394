/**
 * `npm test`: the checks, the release build, then every test of every package, and at the end which test showed
 * which row of the specification. Tests run in two processes side by side: those of the node wait much, the others
 * compute much.
 * `npm test -- packages/protocol/src/text` runs the tests below that path alone, without checks.
 */
import { spawnSync } from 'node:child_process';
import { ROOT, repositoryFiles } from './check/repository.ts';
import { mapRows } from './check/spec-rows.ts';
import { rowTable } from './testing/row-table.ts';
import { runTests } from './testing/run-tests.ts';

const FIRST_GROUP = ['packages/api/', 'packages/client/', 'packages/network/', 'packages/node/'];
const paths = process.argv.slice(2);

function step(title: string, args: readonly string[]): void {
  process.stdout.write(`\n── ${title}\n`);
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) end(title, status ?? 1);
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
process.stdout.write('\n── tests\n');
const isFirst = (path: string): boolean => FIRST_GROUP.some((start) => path.startsWith(start));
const groups =
  paths.length > 0 ? [tests] : [tests.filter(isFirst), tests.filter((path) => !isFirst(path))];
const { status, ran } = await runTests(groups);
const ids = mapRows().map(({ id }) => id);
printRows(rowTable(ids, ran), status !== 0);
if (status !== 0) end('tests', status);
