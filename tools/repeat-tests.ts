/**
 * `npm run test:repeat -- --times 10 --load both --cores 1`: the whole suite so many times, and a table of what
 * failed how often. A suite that depends on how fast or busy the machine is shows it here.
 *
 * --times N      how many rounds, 10 by default
 * --load none    nothing else runs (the default)
 * --load both    a loop keeps each core busy meanwhile
 * --cores 1|2    how many cores the tests have, 2 by default; 1 needs `taskset`
 * A path or several: the tests below them alone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { bundlePrograms } from './testing/bundle-programs.ts';
import { failureTable } from './testing/failure-table.ts';
import { print, runTests, type TestsRun } from './testing/run-tests.ts';
import { PROCESSES, testFiles, testGroups } from './testing/test-groups.ts';

const ROUNDS_MAX = 1_000;
/** Computes until the process that started it is gone, so that nothing is left behind by a run that was killed. */
const BUSY_LOOP =
  'const p = process.ppid; while (process.ppid === p) for (let i = 0; i < 1e8; i++);';

interface Wish {
  readonly times: number;
  readonly isLoaded: boolean;
  readonly cores: 1 | 2;
  readonly paths: readonly string[];
}

function readWish(): Wish | string {
  const options = {
    times: { type: 'string', default: '10' },
    load: { type: 'string', default: 'none' },
    cores: { type: 'string', default: '2' },
  } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const times = Number(values.times);
  if (!Number.isInteger(times) || times < 1 || times > ROUNDS_MAX)
    return `--times is a number from 1 to ${ROUNDS_MAX}`;
  if (!['none', 'both'].includes(values.load)) return '--load is none or both';
  if (!['1', '2'].includes(values.cores)) return '--cores is 1 or 2';
  const cores = values.cores === '1' ? 1 : 2;
  return { times, isLoaded: values.load === 'both', cores, paths: positionals };
}

function cores(wish: Wish, core: number): readonly string[] {
  return wish.cores === 1 ? ['taskset', '-c', '0'] : ['taskset', '-c', String(core)];
}

function startLoad(wish: Wish): readonly ChildProcess[] {
  if (!wish.isLoaded) return [];
  return [0, 1].map((core) => {
    const [command, ...args] = cores(wish, core) as [string, ...string[]];
    return spawn(command, [...args, process.execPath, '-e', BUSY_LOOP], { stdio: 'ignore' });
  });
}

async function round(wish: Wish): Promise<TestsRun> {
  const load = startLoad(wish);
  try {
    return await runTests(testGroups(testFiles(wish.paths)), {
      processes: PROCESSES,
      shown: 'failed',
      ...(wish.cores === 1 ? { startedBy: cores(wish, 0) } : {}),
    });
  } finally {
    for (const child of load) child.kill('SIGKILL');
  }
}

async function main(): Promise<number> {
  const wish = readWish();
  if (typeof wish === 'string') {
    process.stderr.write(`${wish}\n`);
    return 2;
  }
  await bundlePrograms();
  const runs: TestsRun[] = [];
  for (let turn = 1; turn <= wish.times; turn++) {
    const startedAt = performance.now();
    const run = await round(wish);
    runs.push(run);
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    const outcome = run.status === 0 ? 'passed' : 'FAILED';
    await print(`round ${turn} of ${wish.times}: ${outcome} in ${minutes} min\n`);
  }
  await print(failureTable(runs));
  return runs.every(({ status }) => status === 0) ? 0 : 1;
}

process.exitCode = await main();
