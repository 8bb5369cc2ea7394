import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { StoreLockedError } from '../src/errors.ts';
import { openLadder } from './testing/ladder-store.ts';

const CHILD = fileURLToPath(new URL('testing/holding-child.ts', import.meta.url));

await init();

test('a second process is refused and told who holds the directory', async (t) => {
  const directory = temporaryDirectory(t);
  const child = spawn(process.execPath, [CHILD, directory], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  await assert.rejects(openLadder(directory), (error: unknown) => {
    assert.ok(error instanceof StoreLockedError, String(error));
    assert.ok(error.message.includes(`process ${child.pid} on host ${hostname()}`), error.message);
    assert.match(error.message, /running since \d{4}-/);
    return true;
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const store = await openLadder(directory);
  assert.ok(existsSync(join(directory, 'holder.json')));
  await store.close();
  assert.ok(!existsSync(join(directory, 'holder.json')));
});

test('a second store of the same process is refused too', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openLadder(directory);
  await assert.rejects(openLadder(directory), (error: unknown) => {
    assert.ok(error instanceof StoreLockedError);
    assert.ok(error.message.includes(`process ${process.pid}`));
    return true;
  });
  await store.close();
  const [first, second] = await Promise.allSettled([openLadder(directory), openLadder(directory)]);
  assert.equal(first.status, 'fulfilled');
  assert.equal(second.status, 'rejected');
  if (first.status === 'fulfilled') await first.value.close();
});
