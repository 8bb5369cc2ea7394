import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import type { KeyValueStore } from '../src/key-value/key-value-store.ts';
import { LevelStore } from '../src/key-value/level-store.ts';
import { MemoryStore } from '../src/key-value/memory-store.ts';
import { versionsRun } from './testing/versions-run.ts';

/** Small files and large values: many versions lie at the borders of files, where LevelDB 1.20 loses them. */
const SMALL = { writeBufferBytes: 2 << 20, fileBytes: 1 << 20, cacheBytes: 8 << 20 };

/** Numbers that are the same in every run. */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function expectRight(store: KeyValueStore, commits: number, valueBytes: number) {
  const plan = { commits, operations: 1_000, keys: 10_000, valueBytes, checkEvery: 20 };
  const report = await versionsRun(store, plan, sequence(7));
  await store.close();
  assert.deepEqual(report.wrong, []);
  assert.equal(report.commits, commits);
  assert.ok(report.reads > commits, 'hardly anything was read');
}

test('commits beside readers of all ages leave LevelDB with what the model holds', async (t) => {
  await expectRight(await LevelStore.open(temporaryDirectory(t), SMALL), 60, 4_000);
});

test('the database in memory passes the same commits and readers', async () => {
  await expectRight(new MemoryStore(), 12, 16);
});
