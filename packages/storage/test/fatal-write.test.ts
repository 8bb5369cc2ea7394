import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { FatalStorageError } from '../src/errors.ts';
import { MemoryStore } from '../src/key-value/memory-store.ts';
import { openStoreOn } from '../src/open/open-store-on.ts';
import { FaultyStore } from './testing/faulty-store.ts';
import { stepLadder } from './testing/ladder-chain.ts';
import {
  climb,
  ladderOptions,
  ladderRoots,
  memoryLadder,
  stepDeferred,
} from './testing/ladder-store.ts';

await init();

test('a failed write is fatal: the store refuses everything after it', async () => {
  for (const writesLeft of [0, 1]) {
    const disk = new FaultyStore();
    const store = await memoryLadder(5, disk);
    disk.writesLeft = writesLeft;
    await assert.rejects(stepLadder(store), (error: unknown) => {
      assert.ok(error instanceof FatalStorageError);
      assert.match(error.message, /ENOSPC/);
      assert.equal(error.code, 'storage_fatal');
      return true;
    });
    disk.writesLeft = Number.POSITIVE_INFINITY;
    await assert.rejects(stepLadder(store), FatalStorageError);
    assert.throws(() => store.view.get('economy', ''), FatalStorageError);
    assert.throws(() => store.reader(), FatalStorageError);
    await store.close();
  }
});

test('after a failed write the store opens at the last whole cut and continues', async () => {
  const disk = new FaultyStore();
  const store = await memoryLadder(5, disk);
  disk.writesLeft = 1;
  await assert.rejects(stepLadder(store), FatalStorageError);
  disk.writesLeft = Number.POSITIVE_INFINITY;
  const again = await openStoreOn(disk, ladderOptions());
  assert.equal(again.head?.height, 5);
  await climb(again, 9);
  assert.equal(again.head?.stateRoot, (await ladderRoots(9))[9]);
});

test('cuts that cannot be made durable when a store is closed end it as a failed commit does', async () => {
  const disk = new FaultyStore();
  const ends: unknown[] = [];
  const options = ladderOptions();
  const store = await openStoreOn(disk, options, { onClose: (trees) => void ends.push(trees) });
  await climb(store, 5);
  await stepDeferred(store);
  assert.equal(store.hasWaitingCuts, true);
  disk.writesLeft = 0;
  await assert.rejects(store.close(), (error: unknown) => {
    assert.ok(error instanceof FatalStorageError, String(error));
    assert.match(error.message, /ENOSPC/);
    return true;
  });
  assert.deepEqual(
    ends,
    [undefined],
    'the holder lets go, and keeps no trees of cuts that are not there',
  );
  disk.writesLeft = Number.POSITIVE_INFINITY;
  assert.equal((await openStoreOn(disk, options)).head?.height, 5);
});

test('a check in the background that cannot be made is fatal, with words', async () => {
  const disk = new MemoryStore();
  await (await memoryLadder(5, disk)).close();
  const checked = Promise.withResolvers<undefined>();
  const store = await openStoreOn(disk, ladderOptions(), { checkFiles: () => checked.promise });
  await stepLadder(store);
  checked.reject(new Error('EIO: i/o error, read'));
  await checked.promise.catch(() => {});
  await assert.rejects(stepLadder(store), (error: unknown) => {
    assert.ok(error instanceof FatalStorageError);
    assert.match(error.message, /could not be checked \(EIO: i\/o error, read\); look for trouble/);
    return true;
  });
});
