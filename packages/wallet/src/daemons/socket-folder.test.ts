import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { passedVariables, temporaryDirectory } from 'svc-base/testing';
import { UsageError } from '../base/usage-error.ts';
import { parentOf, SocketFolder } from './socket-folder.ts';

test('only its owner enters the folder of the sockets, and it goes with the listener', async (t) => {
  const folder = await SocketFolder.make(temporaryDirectory(t));
  const path = dirname(folder.socketOf(15));
  assert.equal(statSync(path).mode & 0o777, 0o700);
  folder.remove();
  assert.equal(existsSync(path), false);
  await assert.rejects(SocketFolder.make(`/${'a'.repeat(90)}`), /its name is too long/);
});

test('a folder that cannot be made is told with what to do', async (t) => {
  const file = join(temporaryDirectory(t), 'file');
  writeFileSync(file, '');
  for (const parent of [join(dirname(file), 'missing'), file])
    await assert.rejects(
      SocketFolder.make(parent),
      (error) => error instanceof UsageError && /TMPDIR/.test(error.hint ?? ''),
    );
});

test('it lies in the folder that systemd made for the service, where there is one', (t) => {
  const own = temporaryDirectory(t);
  const file = join(own, 'file');
  writeFileSync(file, '');
  assert.equal(parentOf({ RUNTIME_DIRECTORY: own }), own);
  assert.equal(parentOf({ RUNTIME_DIRECTORY: `${own}:/elsewhere` }), own);
  for (const none of ['', file, join(own, 'missing')])
    assert.equal(parentOf({ RUNTIME_DIRECTORY: none }), tmpdir());
  assert.equal(parentOf({}), tmpdir());
});

test('the folder of a listener that was killed goes when the next one is made, and that of a live one stays', async (t) => {
  const parent = temporaryDirectory(t);
  const script = `
    import { createServer } from 'node:net';
    import { mkdirSync } from 'node:fs';
    mkdirSync(process.argv[1], { mode: 0o700 });
    createServer().listen(process.argv[1] + '/front', () => process.send('listening'));`;
  const dead = join(parent, 'svc-wallet-killed');
  const args = ['--input-type=module', '--eval', script, dead];
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
  const killed = spawn(process.execPath, args, { stdio: [...stdio], env: passedVariables() });
  await once(killed, 'message');
  const ended = once(killed, 'exit');
  killed.kill('SIGKILL');
  await ended;
  const strange = join(parent, 'svc-wallet-strange');
  mkdirSync(strange);
  const live = await SocketFolder.make(parent);
  t.after(() => live.remove());
  assert.equal(existsSync(dead), false);
  const next = await SocketFolder.make(parent);
  assert.equal(existsSync(dirname(live.socketOf(0))), true);
  assert.equal(existsSync(strange), true, 'it may be in the making');
  next.remove();
});
