/**
 * A data directory on a disk without room: the store says so and calls nothing damaged, and it opens as it was once
 * there is room again. The disk is a small file system in memory, which only root can mount.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { StorageError, StoreDamagedError } from '../src/errors.ts';
import { openLadder } from './testing/ladder-store.ts';

await init();

function mountedDirectory(t: TestContext): string | undefined {
  const directory = temporaryDirectory();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', directory]);
  if (mounted.status !== 0) return undefined;
  t.after(() => void spawnSync('umount', ['-l', directory]));
  return directory;
}

/** Writes until the disk takes nothing more. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(fstatSync(file).size > 6 << 20 ? 512 : 1 << 16));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(file);
  }
}

test('a store on a full disk is not called damaged, and opens once there is room', async (t) => {
  const directory = mountedDirectory(t);
  if (directory === undefined) return t.skip('only root can mount the small disk');
  await (await openLadder(directory)).close();
  const filler = join(directory, 'filler');
  writeFileSync(filler, '');
  fill(filler);
  await assert.rejects(openLadder(directory), (error: unknown) => {
    assert.ok(
      error instanceof StorageError && !(error instanceof StoreDamagedError),
      String(error),
    );
    assert.equal(error.code, 'storage_unopened');
    assert.match(error.message, /the disk is full; make room and start again/);
    return true;
  });
  rmSync(filler);
  await (await openLadder(directory)).close();
});
