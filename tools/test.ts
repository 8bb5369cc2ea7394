/**
 * `npm test`: the checks, the release build, then every test of every package against the programs as they are packed,
 * and at the end which test showed which row of the specification. `npm test -- packages/protocol/src/text` runs the
 * tests below that path alone, without checks and against the sources; with `--packed` against the packed programs.
 */
import { spawnSync } from 'node:child_process';
import { ROOT } from './check/repository.ts';
import { bundlePrograms } from './testing/bundle-programs.ts';
import { reportRun } from './testing/report-run.ts';
import { print } from './testing/run-tests.ts';
import { PROCESSES, testFiles, testGroups } from './testing/test-groups.ts';

const PACKED = '--packed';
const words = process.argv.slice(2);
const paths = words.filter((word) => word !== PACKED);

async function main(): Promise<number> {
  const isWhole = paths.length === 0;
  const tests = testFiles(paths);
  if (tests.length === 0) {
    process.stderr.write(`no test file below ${paths.join(', ')}\n`);
    return 2;
  }
  if (isWhole) {
    const checked = await step('checks', 'tools/check.ts');
    const status = checked === 0 ? await step('release build', 'tools/build.ts') : checked;
    if (status !== 0) return status;
  }
  if (isWhole || words.includes(PACKED)) await bundlePrograms();
  return await reportRun(testGroups(tests), { processes: PROCESSES, isWhole });
}

async function step(title: string, script: string): Promise<number> {
  await print(`\n── ${title}\n`);
  const { status } = spawnSync(process.execPath, [script], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.stderr.write(`${title}: failed\n`);
  return status ?? 1;
}

process.exitCode = await main();
