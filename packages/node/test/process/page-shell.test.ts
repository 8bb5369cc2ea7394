import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryDirectory, until } from 'svc-base/testing';
import { PageShell } from './page-shell.ts';

const SHELL = new URL('page-shell.ts', import.meta.url).href;
/** One process in the background, and a block that never ends. */
const BLOCK = 'sleep 1000 &\necho $$ $!\nuntil false; do sleep 1; done';

/** Runs or sleeps; one that has ended and that nobody has asked about yet is not there. */
function isThere(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('what a block has started ends with the tests, also if they are killed in the middle of it', async (t) => {
  const script = `import { PageShell } from ${JSON.stringify(SHELL)};
    const shell = new PageShell(${JSON.stringify(temporaryDirectory(t))}, []);
    shell.run(${JSON.stringify(BLOCK)});
    while (!shell.stdout.includes('\\n')) await new Promise((resolve) => setTimeout(resolve, 10));
    process.stdout.write(shell.stdout);`;
  const tests = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(tests.stdout, 'data')) as [Buffer];
  const pids = `${said}`.trim().split(' ').map(Number);
  assert.equal(pids.length, 2);
  assert.deepEqual(pids.filter(isThere), pids);
  tests.kill('SIGKILL');
  await until(() => !pids.some(isThere), 'both processes have ended');
});

test('a shell that is closed ends what its blocks have started', async (t) => {
  const shell = new PageShell(temporaryDirectory(t), []);
  await shell.run('sleep 1000 &\necho $!\n');
  const pid = Number(shell.stdout.split('\n')[0]);
  assert.ok(isThere(pid));
  await shell.close();
  await until(() => !isThere(pid), 'the process has ended');
});
