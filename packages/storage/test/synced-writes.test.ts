import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { isBodyKey, liesInFile } from '../src/bodies/body-records.ts';
import type { WriteOperation } from '../src/key-value/key-value-store.ts';
import { stepLadder } from './testing/ladder-chain.ts';
import { climb, memoryLadder, stepDeferred } from './testing/ladder-store.ts';
import { SyncWatch } from './testing/sync-watch.ts';

await init();

function isLargeBody(operation: WriteOperation): boolean {
  return operation.type === 'put' && isBodyKey(operation.key) && liesInFile(operation.value);
}

test('nothing of a cut goes to the database without a sync, but bodies that are in files, whether it waits or not', async () => {
  const disk = new SyncWatch();
  const store = await memoryLadder(10, disk);
  for (let count = 0; count < 10; count++) await stepDeferred(store);
  await store.flush();
  for (let count = 0; count < 5; count++) await stepLadder(store, { mayWait: true });
  await climb(store, 30);
  await store.close();
  assert.equal(disk.unsynced.length, 15, 'of each second cut');
  assert.deepEqual(
    disk.unsynced.filter((operation) => !isLargeBody(operation)),
    [],
  );
});
