import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { UsageError } from '../base/usage-error.ts';
import { parentOf, SocketFolder } from './socket-folder.ts';

test('only its owner enters the folder of the sockets, and it goes with the listener', (t) => {
  const folder = new SocketFolder(temporaryDirectory(t));
  const path = dirname(folder.socketOf(15));
  assert.equal(statSync(path).mode & 0o777, 0o700);
  folder.remove();
  assert.equal(existsSync(path), false);
  assert.throws(() => new SocketFolder(`/${'a'.repeat(90)}`), /its name is too long/);
});

test('a folder that cannot be made is told with what to do', (t) => {
  const file = join(temporaryDirectory(t), 'file');
  writeFileSync(file, '');
  for (const parent of [join(dirname(file), 'missing'), file])
    assert.throws(
      () => new SocketFolder(parent),
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
