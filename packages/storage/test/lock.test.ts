import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { StoreDamagedError, StoreLockedError } from '../src/errors.ts';
import { findDamage } from '../src/repair/repair-store.ts';
import { openLadder } from './testing/ladder-store.ts';

const CHILD = fileURLToPath(new URL('testing/holding-child.ts', import.meta.url));

await init();

test('a second process is refused with the name of the holder of the directory', async (t) => {
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

test('a damaged store is not called held by a program that has the number of a killed node', async (t) => {
  const directory = temporaryDirectory(t);
  await (await openLadder(directory)).close();
  const database = join(directory, 'db');
  const manifest = readdirSync(database).find((file) => file.startsWith('MANIFEST')) as string;
  writeFileSync(join(database, manifest), 'garbage');
  const holder = { pid: process.ppid, host: hostname(), started_millis: 1 };
  const write = (more: object): void =>
    writeFileSync(join(directory, 'holder.json'), JSON.stringify({ ...holder, ...more }));
  write({ start: 'an earlier run of the machine/17' });
  await assert.rejects(openLadder(directory), StoreDamagedError);
  assert.ok((await findDamage(directory)) instanceof StoreDamagedError);
  // A holder whose start is unknown, as on systems that report no starts.
  write({});
  const unclear = (error: unknown): boolean => {
    assert.ok(error instanceof StoreLockedError, String(error));
    assert.match(error.message, /may be held by process \d+ .*holder\.json/);
    return true;
  };
  await assert.rejects(openLadder(directory), unclear);
  await assert.rejects(findDamage(directory), unclear);
  for (const broken of ['null', '{"pid":-1}', '{"pid":1,"started_millis":"x"}']) {
    writeFileSync(join(directory, 'holder.json'), broken);
    await assert.rejects(openLadder(directory), StoreDamagedError);
  }
  rmSync(join(directory, 'holder.json'));
  await assert.rejects(openLadder(directory), StoreDamagedError);
});

test('the opener of a store writes down when it started', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openLadder(directory);
  const written = JSON.parse(readFileSync(join(directory, 'holder.json'), 'utf8'));
  await store.close();
  assert.match(written.start, /^[0-9a-f-]{36}\/\d+$/);
});
