/**
 * A data directory on a disk without room: the store says so and calls nothing damaged, and it opens as it was once
 * there is room again. The disk is a small file system in memory, which only root can mount.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  fstatSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { bodyPath } from '../src/bodies/body-files.ts';
import { bodiesOf } from '../src/bodies/body-store.ts';
import { scrubBodies } from '../src/bodies/scrub-bodies.ts';
import { FatalStorageError, StorageError, StoreDamagedError } from '../src/errors.ts';
import { databaseOf } from '../src/open/open-store.ts';
import { climbWithBlocks } from './testing/heavy-ladder.ts';
import { openLadder } from './testing/ladder-store.ts';

const BODY_BYTES = 10_000;
/** What is left of the disk before a body that is larger. */
const ROOM_BYTES = 100_000;

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

test('a disk that takes only a part of a body ends the store, which opens at the cut before once there is room', async (t) => {
  const directory = mountedDirectory(t);
  if (directory === undefined) return t.skip('only root can mount the small disk');
  const store = await openLadder(directory);
  await climbWithBlocks(store, 3, BODY_BYTES);
  const filler = join(directory, 'filler');
  fill(filler);
  truncateSync(filler, statSync(filler).size - ROOM_BYTES);
  await assert.rejects(climbWithBlocks(store, 4, 10 * ROOM_BYTES), (error: unknown) => {
    assert.ok(error instanceof FatalStorageError, String(error));
    assert.match(error.message, /ENOSPC/);
    return true;
  });
  const bodies = bodyPath(bodiesOf(databaseOf(directory)), 1);
  assert.ok(statSync(bodies).size > 3 * BODY_BYTES + ROOM_BYTES / 2, 'a part was written');
  await assert.rejects(climbWithBlocks(store, 4, BODY_BYTES), FatalStorageError);
  await store.close();
  rmSync(filler);
  const again = await openLadder(directory);
  assert.equal(again.head?.height, 3);
  await climbWithBlocks(again, 4, BODY_BYTES);
  const scrub = { pieceBytes: 1 << 20, pause: async () => true };
  assert.equal(await scrubBodies(databaseOf(directory), scrub), statSync(bodies).size);
  await again.close();
});
