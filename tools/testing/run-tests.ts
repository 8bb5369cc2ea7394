/**
 * Runs test files in processes of their own, side by side, and tells what the tests of all of them came to. The
 * first one's output is shown as it comes, that of the others when they have ended.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../check/repository.ts';
import type { RanTest } from './row-table.ts';

const TEST_MILLIS_MAX = 600_000;

export interface TestsRun {
  readonly status: number;
  readonly ran: readonly RanTest[];
}

export async function runTests(groups: readonly (readonly string[])[]): Promise<TestsRun> {
  const scratch = mkdtempSync(join(tmpdir(), 'svc-tests-'));
  try {
    const runs = groups.map((files, place) =>
      runGroup(files, join(scratch, `${place}.json`), place === 0),
    );
    const ended: TestsRun[] = [];
    for (const run of runs) {
      const { output, ...result } = await run;
      process.stdout.write(output);
      ended.push(result);
    }
    return {
      status: Math.max(...ended.map(({ status }) => status)),
      ran: ended.flatMap(({ ran }) => ran),
    };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

interface GroupRun extends TestsRun {
  /** What was not shown yet. */
  readonly output: string;
}

function runGroup(files: readonly string[], rows: string, isShown: boolean): Promise<GroupRun> {
  const child = spawn(process.execPath, argumentsFor(files, rows), {
    cwd: ROOT,
    stdio: ['ignore', isShown ? 'inherit' : 'pipe', isShown ? 'inherit' : 'pipe'],
  });
  const parts: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part: Buffer) => parts.push(part));
  }
  return new Promise((resolve) => {
    child.once('close', (code) => {
      const output = Buffer.concat(parts).toString();
      resolve({ status: code ?? 1, ran: readRan(rows), output });
    });
  });
}

function argumentsFor(files: readonly string[], rows: string): string[] {
  return [
    '--test',
    '--test-isolation=none',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./tools/testing/row-reporter.ts',
    `--test-reporter-destination=${rows}`,
    `--test-timeout=${TEST_MILLIS_MAX}`,
    ...files,
  ];
}

/** Nothing if the process ended before its last test. */
function readRan(path: string): readonly RanTest[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text === '' ? [] : (JSON.parse(text) as RanTest[]);
}
