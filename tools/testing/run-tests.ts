/**
 * Runs groups of test files, each in a process of its own, some processes side by side, and tells what the tests of
 * all of them came to. The output of a group is shown when its process has ended, whole; a group that makes no
 * progress is told at once, and ended by `silence-watch.ts`.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../check/repository.ts';
import { SilenceWatch, type TestLimits } from './silence-watch.ts';
import {
  type EndedTest,
  endedTests,
  openTests,
  RECORDS_VARIABLE,
  readRecords,
  type TestName,
} from './test-record.ts';

const LIMITS: TestLimits = { testMillis: 300_000, tellMillis: 60_000, graceMillis: 30_000 };
const LOOK_MILLIS = 5_000;

export interface TestGroup {
  readonly title: string;
  readonly files: readonly string[];
}

export interface TestsRun {
  readonly status: number;
  readonly ended: readonly EndedTest[];
  /** Tests in the middle of which their process ended. */
  readonly brokenOff: readonly TestName[];
}

export interface RunOptions {
  /** How many groups run side by side. */
  readonly processes: number;
  readonly limits?: TestLimits;
  /** A command and its first arguments that start each process, as `taskset -c 0` does. */
  readonly startedBy?: readonly string[];
  /** Whose output is shown; of all groups, unless told. */
  readonly shown?: 'all' | 'failed';
}

export async function runTests(
  groups: readonly TestGroup[],
  options: RunOptions,
): Promise<TestsRun> {
  const scratch = mkdtempSync(join(tmpdir(), 'svc-tests-'));
  const waiting = groups.entries();
  const runs: TestsRun[] = [];
  const work = async (): Promise<void> => {
    for (const [place, group] of waiting) {
      runs.push(await runGroup(group, join(scratch, `${place}`), options));
    }
  };
  try {
    await Promise.all(Array.from({ length: options.processes }, work));
  } finally {
    rmSync(scratch, { recursive: true });
  }
  return {
    status: Math.max(...runs.map(({ status }) => status)),
    ended: runs.flatMap(({ ended }) => ended),
    brokenOff: runs.flatMap(({ brokenOff }) => brokenOff),
  };
}

/** Resolves once the text has left this process: a pipe that is full delays what follows. */
export function print(text: string): Promise<void> {
  return new Promise((resolve) => void process.stdout.write(text, () => resolve()));
}

/** The process writes to a file, not to a pipe: what it wrote is there even if it was ended. */
async function runGroup(group: TestGroup, path: string, options: RunOptions): Promise<TestsRun> {
  const { limits = LIMITS } = options;
  const startedAt = performance.now();
  const records = `${path}.jsonl`;
  const output = openSync(`${path}.out`, 'w');
  const [command, ...args] = [
    ...(options.startedBy ?? []),
    process.execPath,
    ...argumentsFor(group.files, path, limits),
  ] as [string, ...string[]];
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: ['ignore', output, output],
    env: environment(records),
  });
  closeSync(output);
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  const watch = new SilenceWatch({ title: group.title, records, child, tell }, limits, startedAt);
  const looks = setInterval(() => watch.look(performance.now()), LOOK_MILLIS);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(looks);
  if (code !== 0 || options.shown !== 'failed') {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    await print(`\n── ${group.title} (${group.files.length} files, ${seconds} s)\n`);
    await print(readFileSync(`${path}.out`, 'utf8'));
  }
  const told = readRecords(records);
  return { status: code ?? 1, ended: endedTests(told), brokenOff: openTests(told) };
}

/** A test that runs this runner is no part of the run that it stands in. */
function environment(records: string): NodeJS.ProcessEnv {
  const variables: NodeJS.ProcessEnv = { ...process.env, [RECORDS_VARIABLE]: records };
  delete variables['NODE_TEST_CONTEXT'];
  return variables;
}

function argumentsFor(files: readonly string[], path: string, limits: TestLimits): string[] {
  return [
    '--import=./tools/testing/left-open.ts',
    '--test',
    '--test-isolation=none',
    '--test-force-exit',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./tools/testing/record-reporter.ts',
    `--test-reporter-destination=${path}.unused`,
    `--test-timeout=${limits.testMillis}`,
    ...files,
  ];
}
