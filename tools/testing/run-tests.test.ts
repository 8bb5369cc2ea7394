import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ROOT } from '../check/repository.ts';

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
import { test } from 'node:test';
test('starts a server', async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
});
test('closes its server', async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.close();
});
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

interface ReportedRun {
  readonly code: number | null;
  readonly output: string;
}

/** The report of a run, as a process that reads it through pipes gets it. */
async function reportOf(t: TestContext, ...samples: readonly string[]): Promise<ReportedRun> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-run-tests-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const groups = samples.map((sample, index) => {
    const file = join(folder, `sample-${index}.test.mjs`);
    writeFileSync(file, sample);
    return { title: `group ${index}`, files: [file] };
  });
  const limits = { testMillis: 2_000, tellMillis: 60_000, graceMillis: 60_000 };
  const script = join(folder, 'script.mjs');
  const options = JSON.stringify({ processes: 2, isWhole: false, limits });
  writeFileSync(
    script,
    `import { reportRun } from ${JSON.stringify(join(ROOT, 'tools/testing/report-run.ts'))};
    process.exitCode = await reportRun(${JSON.stringify(groups)}, ${options});`,
  );
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const parts: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => parts.push(part));
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output: Buffer.concat(parts).toString() };
}

test('megabytes of failures of two groups leave whole through a pipe, and the list comes last', async (t) => {
  const { code, output } = await reportOf(t, FAILS_AT_LENGTH, FAILS_AT_LENGTH);
  assert.equal(code, 1);
  assert.ok(output.length > 3_000_000, `${output.length} bytes`);
  for (let i = 1; i <= 8; i++) {
    assert.equal(output.split(`y end of ${i}]`).length - 1, 2, `failures of test ${i}`);
  }
  assert.equal(output.split('ℹ fail 8\n').length - 1, 2, 'two summaries');
  assert.match(output, /── tests: failed\n(?:FAILED {6}\S+: long \d+\n){16}$/);
});

test('a server that a test left open ends with the run, which fails and names the test', async (t) => {
  const { code, output } = await reportOf(t, LEAVES_A_SERVER);
  assert.equal(code, 1);
  assert.match(
    output,
    /left open: a server listens, started by \S+sample-0\.test\.mjs: starts a server\n/,
  );
  assert.equal(output.split('left open').length - 1, 1);
  assert.match(output, /ℹ pass 2\n/);
});

test('a test that waits for ever fails at the limit of a test, and the next one runs', async (t) => {
  const { code, output } = await reportOf(t, WAITS_FOR_EVER);
  assert.equal(code, 1);
  assert.match(output, /✔ comes after/);
  assert.match(output, /── tests: failed\nFAILED {6}\S+: waits\n$/);
});

test('a process that dies takes the run with it, and the test that ran is named', async (t) => {
  const { code, output } = await reportOf(t, BREAKS_OFF);
  assert.equal(code, 1);
  assert.match(output, /── tests: failed\nBROKEN OFF {2}\S+: ends the process\n$/);
});
