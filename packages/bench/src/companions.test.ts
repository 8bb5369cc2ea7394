import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

/** Starts a program that never ends by itself and writes where this one writes; then waits. */
const BENCH = `
  import { spawn } from 'node:child_process';
  import { endWithThisProcess } from ${JSON.stringify(new URL('./companions.ts', import.meta.url))};
  const words = ['-e', 'console.log("here"); setInterval(() => {}, 1e6)'];
  endWithThisProcess(spawn(process.execPath, words, { stdio: ['ignore', 'inherit', 'ignore'] }));
  setInterval(() => {}, 1e6);
`;

test('a program of a benchmark ends with it when a signal ends it', async () => {
  const words = ['--input-type=module-typescript', '-e', BENCH];
  const bench = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(bench.stdout, 'data');
  bench.kill('SIGTERM');
  // The output is closed when both have ended.
  assert.deepEqual(await once(bench, 'close'), [143, null]);
});
