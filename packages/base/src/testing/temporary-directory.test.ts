import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { removeAbandoned, temporaryDirectory } from './temporary-directory.ts';

test('a directory is empty, its own, and gone with all it holds after the test', (t) => {
  const hooks: (() => void)[] = [];
  const end = { after: (hook: () => void) => void hooks.push(hook) };
  const parent = temporaryDirectory(t);
  const [first, second] = [temporaryDirectory(end, parent), temporaryDirectory(end, parent)];
  assert.deepEqual([readdirSync(first), readdirSync(second)], [[], []]);
  assert.notEqual(first, second);
  mkdirSync(join(first, 'a'));
  writeFileSync(join(first, 'a', 'b'), 'c');
  for (const hook of hooks) hook();
  assert.deepEqual(readdirSync(parent), []);
});

test('what is written after the end of the test goes with the process', (t) => {
  const parent = temporaryDirectory(t);
  const module = new URL('temporary-directory.ts', import.meta.url).href;
  const program = `
    import { mkdirSync } from 'node:fs';
    import { removeAbandoned, temporaryDirectory } from ${JSON.stringify(module)};
    let end;
    const path = temporaryDirectory({ after: (hook) => { end = hook; } }, ${JSON.stringify(parent)});
    temporaryDirectory(undefined, ${JSON.stringify(parent)});
    end();
    mkdirSync(path);
    process.stdout.write(path);
  `;
  const path = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  assert.equal(existsSync(path), false);
  assert.deepEqual(readdirSync(parent), []);
});

test('what a killed process has left is removed by who comes later, and nothing else', (t) => {
  const parent = temporaryDirectory(t);
  const module = new URL('temporary-directory.ts', import.meta.url).href;
  const program = `
    import { temporaryDirectory } from ${JSON.stringify(module)};
    temporaryDirectory(undefined, ${JSON.stringify(parent)});
    process.kill(process.pid, 'SIGKILL');
  `;
  const own = temporaryDirectory(t, parent);
  mkdirSync(join(parent, 'svc-test-something'));
  const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program]);
  assert.deepEqual([signal, readdirSync(parent).length], ['SIGKILL', 3]);
  removeAbandoned([parent]);
  assert.deepEqual(readdirSync(parent).sort(), [basename(own), 'svc-test-something'].sort());
});
