/**
 * Runs groups of test files, each in a process of its own, some processes side by side, and reports the results of
 * all their tests. The output of a group is shown when its process has ended, whole; a group that makes no progress
 * is reported at once, and ended by `silence-watch.ts`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../check/repository.ts';
import { SilenceWatch, type TestLimits } from './silence-watch.ts';
import { starvedMillis } from './starved-millis.ts';
import {
  type EndedTest,
  endedTests,
  openTests,
  processorOfFiles,
  RECORDS_VARIABLE,
  readRecords,
  type TestName,
} from './test-record.ts';

const LIMITS: TestLimits = { testMillis: 300_000, tellMillis: 60_000, graceMillis: 30_000 };
const LOOK_MILLIS = 5_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface TestGroup {
  readonly title: string;
  readonly files: readonly string[];
}

export interface TestsRun {
  readonly status: number;
  readonly ended: readonly EndedTest[];
  /** Tests in the middle of which their process ended. */
  readonly brokenOff: readonly TestName[];
  /** Milliseconds of processors by file. */
  readonly processor: ReadonlyMap<string, number>;
}

export interface RunOptions {
  /** How many groups run side by side. */
  readonly processes: number;
  readonly limits?: TestLimits;
  /** A command and its first arguments that start each process, as `taskset -c 0` does. */
  readonly startedBy?: readonly string[];
  /** Whose output is shown; of all groups by default. */
  readonly shown?: 'all' | 'failed';
}

export async function runTests(
  groups: readonly TestGroup[],
  options: RunOptions,
): Promise<TestsRun> {
  const scratch = mkdtempSync(join(tmpdir(), 'svc-tests-'));
  const running = new RunningProcesses();
  const waiting = groups.entries();
  const runs: TestsRun[] = [];
  const work = async (): Promise<void> => {
    for (const [place, group] of waiting) {
      if (running.isStopped) return;
      runs.push(await runGroup(group, join(scratch, `${place}`), options, running));
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: options.processes }, work));
  running.release();
  rmSync(scratch, { recursive: true });
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
  return {
    status: running.isStopped ? 1 : Math.max(...runs.map(({ status }) => status)),
    ended: runs.flatMap(({ ended }) => ended),
    brokenOff: runs.flatMap(({ brokenOff }) => brokenOff),
    processor: sumByFile(runs.flatMap(({ processor }) => [...processor])),
  };
}

/** A file whose tests run in several groups is counted with all of them. */
function sumByFile(parts: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [file, millis] of parts) sums.set(file, (sums.get(file) ?? 0) + millis);
  return sums;
}

/** Resolves once the text has left this process: a pipe that is full delays what follows. */
export function print(text: string): Promise<void> {
  return new Promise((resolve) => void process.stdout.write(text, () => resolve()));
}

/** The processes of groups; a signal that ends this process ends them first, and no further group begins. */
class RunningProcesses {
  readonly #children = new Set<ChildProcess>();
  isStopped = false;

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#stop);
  }

  add(child: ChildProcess): void {
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
  }

  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.#stop);
  }

  readonly #stop = (signal: NodeJS.Signals): void => {
    this.isStopped = true;
    for (const child of this.#children) child.kill(signal);
  };
}

/** The process writes to a file, not to a pipe: what it wrote is there even if it was ended. */
async function runGroup(
  group: TestGroup,
  path: string,
  options: RunOptions,
  running: RunningProcesses,
): Promise<TestsRun> {
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
  running.add(child);
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  const starved = (): number => starvedMillis(child.pid);
  const ports = { title: group.title, records, child, tell, starvedMillis: starved };
  const watch = new SilenceWatch(ports, limits, startedAt);
  const looks = setInterval(() => watch.look(performance.now()), LOOK_MILLIS);
  child.once('error', ({ message }) => tell(`${group.title}: ${message}`));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(looks);
  if (code !== 0 || options.shown !== 'failed') {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    await print(`\n── ${group.title} (${group.files.length} files, ${seconds} s)\n`);
    await print(readFileSync(`${path}.out`, 'utf8'));
  }
  const told = readRecords(records);
  return {
    status: code === null || code < 0 ? 1 : code,
    ended: endedTests(told),
    brokenOff: openTests(told),
    processor: processorOfFiles(told),
  };
}

/**
 * A test that runs this runner is no part of the outer run. Processes and threads of tests share what they
 * have compiled: to load a node's sources anew costs each of them most of a second.
 */
function environment(records: string): NodeJS.ProcessEnv {
  const variables: NodeJS.ProcessEnv = {
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'svc'),
    ...process.env,
    [RECORDS_VARIABLE]: records,
  };
  delete variables['NODE_TEST_CONTEXT'];
  return variables;
}

function argumentsFor(files: readonly string[], path: string, limits: TestLimits): string[] {
  return [
    '--expose-internals',
    '--import=./tools/testing/before-tests.ts',
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
