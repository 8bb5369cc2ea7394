import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { SocketFolder } from './socket-folder.ts';

test('only its owner enters the folder of the sockets, and it goes with the listener', (t) => {
  const folder = new SocketFolder(temporaryDirectory(t));
  const path = dirname(folder.socketOf(15));
  assert.equal(statSync(path).mode & 0o777, 0o700);
  folder.remove();
  assert.equal(existsSync(path), false);
  assert.throws(() => new SocketFolder(`/${'a'.repeat(90)}`), /its name is too long/);
});
