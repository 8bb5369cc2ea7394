/**
 * `npm test`: the checks, the release build, then every test of every package against the programs as they are packed,
 * and at the end which test showed which row of the specification. `npm test -- packages/protocol/src/text` runs the
 * tests below that path alone, without checks and against the sources; with `--packed` against the packed programs.
 */
import { spawn } from 'node:child_process';
import { removeAbandoned } from '../packages/base/src/testing/temporary-directory.ts';
import { ROOT } from './check/repository.ts';
import { bundlePrograms } from './testing/bundle-programs.ts';
import { reportRun } from './testing/report-run.ts';
import { print } from './testing/run-tests.ts';
import { PROCESSES, testFiles, testGroups } from './testing/test-groups.ts';

const PACKED = '--packed';
const words = process.argv.slice(2);
const paths = words.filter((word) => word !== PACKED);

async function main(): Promise<number> {
  removeAbandoned();
  const isWhole = paths.length === 0;
  const tests = testFiles(paths);
  if (tests.length === 0) {
    process.stderr.write(`no test file below ${paths.join(', ')}\n`);
    return 2;
  }
  if (isWhole) {
    await print('checks, beside the build of the release …\n');
    // The build of the release keeps one core busy and does not depend on the checks.
    const prepared = await Promise.all([
      step('checks', 'tools/check.ts'),
      step('release build', 'tools/build.ts').then(async (status) => {
        if (status === 0) await bundlePrograms();
        return status;
      }),
    ]);
    const status = Math.max(...prepared);
    if (status !== 0) return status;
  } else if (words.includes(PACKED)) await bundlePrograms();
  return await reportRun(testGroups(tests), { processes: PROCESSES, isWhole });
}

/** The output of a step is shown as a whole when it has ended. */
async function step(title: string, script: string): Promise<number> {
  const child = spawn(process.execPath, [script], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const status = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  await print(`\n── ${title}\n${said}`);
  if (status !== 0) process.stderr.write(`${title}: failed\n`);
  return status;
}

process.exitCode = await main();
