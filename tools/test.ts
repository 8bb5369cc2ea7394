/**
 * `npm test`: the checks, the release build, then every test of every package in one process.
 * `npm test -- packages/protocol/src/text` runs the tests below that path alone, without checks.
 */
import { spawnSync } from 'node:child_process';
import { ROOT, repositoryFiles } from './check/repository.ts';

const paths = process.argv.slice(2);

function step(title: string, args: readonly string[]): void {
  process.stdout.write(`\n── ${title}\n`);
  const done = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  if (done.status === 0) return;
  process.stderr.write(`${title}: failed\n`);
  process.exit(done.status ?? 1);
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
step('tests', [
  '--test',
  '--test-isolation=none',
  '--test-reporter=spec',
  '--test-timeout=600000',
  ...tests,
]);
