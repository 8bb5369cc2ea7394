import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory, until } from 'svc-base/testing';
import { ROOT } from '../check/repository.ts';
import type { ReportOptions } from './report-run.ts';

const FAILS_AT_LENGTH = `
import { test } from 'node:test';
for (let i = 1; i <= 8; i++) test('long ' + i, () => {
  const error = new Error('no');
  error.stack = 'y'.repeat(200_000) + ' end of ' + i;
  throw error;
});
`;

const LEAVES_A_SERVER = `
import { createServer } from 'node:http';
import { before, describe, test } from 'node:test';
test('starts a server', async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
});
test('closes its server', async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.close();
});
describe('a suite', () => {
  before(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const server = createServer();
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  test('has a hook', () => {});
});
`;

const FAILS_UNCAUGHT = `
import { test } from 'node:test';
const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
const never = new Promise(() => setInterval(() => {}, 1_000));
test('rejects and continues', async () => {
  await pause();
  void pause().then(() => Promise.reject(new Error('not awaited')));
  await never;
});
test('throws in a timer', async () => {
  await pause();
  setTimeout(() => { throw new Error('not caught'); }, 1);
  await never;
});
test('passes', pause);
`;

const WAITS_FOR_EVER = `
import { test } from 'node:test';
test('waits', () => new Promise(() => setInterval(() => {}, 1_000)));
test('comes after', () => {});
`;

const BREAKS_OFF = `
import { test } from 'node:test';
test('passes', () => {});
test('ends the process', () => process.kill(process.pid, 'SIGKILL'));
`;

const TELLS_ITS_PROCESS = (path: string): string => `
import { renameSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
test('waits', () => {
  writeFileSync(${JSON.stringify(`${path}.new`)}, String(process.pid));
  renameSync(${JSON.stringify(`${path}.new`)}, ${JSON.stringify(path)});
  return new Promise(() => setInterval(() => {}, 1_000));
});
`;

interface ReportedRun {
  readonly code: number | null;
  readonly output: string;
}

interface StartedRun {
  readonly child: ChildProcess;
  readonly ended: Promise<ReportedRun>;
}

/** The report of a run, as a process that reads it through pipes gets it. */
async function reportOf(t: TestContext, ...samples: readonly string[]): Promise<ReportedRun> {
  return await startRun(t, samples).ended;
}

function startRun(
  t: TestContext,
  samples: readonly string[],
  options: Partial<ReportOptions> = {},
): StartedRun {
  const folder = temporaryDirectory(t);
  const groups = samples.map((sample, index) => {
    const file = join(folder, `sample-${index}.test.mjs`);
    writeFileSync(file, sample);
    return { title: `group ${index}`, files: [file] };
  });
  const limits = { testMillis: 2_000, tellMillis: 60_000, graceMillis: 60_000 };
  const script = join(folder, 'script.mjs');
  const given = JSON.stringify({ processes: 2, isWhole: false, limits, ...options });
  writeFileSync(
    script,
    `import { reportRun } from ${JSON.stringify(join(ROOT, 'tools/testing/report-run.ts'))};
    process.exitCode = await reportRun(${JSON.stringify(groups)}, ${given});`,
  );
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const parts: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => parts.push(part));
  }
  const ended = new Promise<ReportedRun>((resolve) => {
    child.once('close', (code) => resolve({ code, output: Buffer.concat(parts).toString() }));
  });
  return { child, ended };
}

test('megabytes of failures of two groups leave whole through a pipe, and the list comes last', async (t) => {
  const { code, output } = await reportOf(t, FAILS_AT_LENGTH, FAILS_AT_LENGTH);
  assert.equal(code, 1);
  assert.ok(output.length > 3_000_000, `${output.length} bytes`);
  for (let i = 1; i <= 8; i++) {
    assert.equal(output.split(`y end of ${i}]`).length - 1, 2, `failures of test ${i}`);
  }
  assert.equal(output.split('ℹ fail 8\n').length - 1, 2, 'two summaries');
  assert.match(output, /── tests: failed\n(?:FAILED {6}\S+: long \d+\n(?: {12}.{0,400}\n)+){16}$/);
});

test('a server that a test left open ends with the run, which fails and names the test', async (t) => {
  const { code, output } = await reportOf(t, LEAVES_A_SERVER);
  assert.equal(code, 1);
  assert.match(
    output,
    /left open: a server listens, started by \S+sample-0\.test\.mjs: starts a server\n/,
  );
  assert.match(output, /left open: a server listens, started by \S+sample-0\.test\.mjs: a suite\n/);
  assert.equal(output.split('left open').length - 1, 2);
  assert.match(output, /ℹ pass 3\n/);
});

test('an uncaught error fails the test that caused it, however long ago that waited', async (t) => {
  const { code, output } = await reportOf(t, FAILS_UNCAUGHT);
  assert.equal(code, 1);
  assert.match(output, /FAILED {6}\S+: rejects and continues\n {12}Error: not awaited\n/);
  assert.match(output, /FAILED {6}\S+: throws in a timer\n {12}Error: not caught\n/);
  assert.match(output, /ℹ pass 1\nℹ fail 2\n/);
});

test('a test that waits for ever fails at the limit of a test, and the next one runs', async (t) => {
  const { code, output } = await reportOf(t, WAITS_FOR_EVER);
  assert.equal(code, 1);
  assert.match(output, /✔ comes after/);
  assert.match(
    output,
    /── tests: failed\nFAILED {6}\S+: waits\n {12}test timed out after 2000ms\n$/,
  );
});

test('a process that dies takes the run with it, and the test that ran is named', async (t) => {
  const { code, output } = await reportOf(t, BREAKS_OFF);
  assert.equal(code, 1);
  assert.match(output, /── tests: failed\nBROKEN OFF {2}\S+: ends the process\n$/);
});

test('a run that is ended ends its processes, begins no further group, and names what ran', async (t) => {
  const path = join(temporaryDirectory(t), 'process');
  const limits = { testMillis: 300_000, tellMillis: 60_000, graceMillis: 60_000 };
  const samples = [TELLS_ITS_PROCESS(path), WAITS_FOR_EVER];
  const { child, ended } = startRun(t, samples, { processes: 1, limits });
  await until(() => existsSync(path), 'the test');
  child.kill('SIGTERM');
  const { code, output } = await ended;
  assert.equal(code, 1);
  assert.match(
    output,
    /── tests: failed\n(?:FAILED {6}|BROKEN OFF {2})\S+: waits\n(?: {12}.*\n)*$/,
  );
  assert.doesNotMatch(output, /group 1/);
  assert.throws(() => process.kill(Number(readFileSync(path, 'utf8')), 0), { code: 'ESRCH' });
});
