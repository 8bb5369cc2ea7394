import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { GatheringStore } from '../src/key-value/gathering-store.ts';
import { MemoryStore } from '../src/key-value/memory-store.ts';
import { WriterThread } from '../src/key-value/writer-thread.ts';
import { UngatedStore } from './testing/ungated-store.ts';
import { type VersionsReport, type VersionsStores, versionsRun } from './testing/versions-run.ts';
import { openVersionsStores } from './testing/versions-stores.ts';

/** Small files and large values: many versions are at the borders of files, where LevelDB 1.20 loses them. */
const SMALL = { writeBufferBytes: 2 << 20, fileBytes: 1 << 20, cacheBytes: 8 << 20 };
const COMMITS = 60;
/** Commits 12 to 23 and 36 to 47 come in groups; the first of them ends none, and the one after them does. */
const GROUPS = 8;
const CONTROL_COMMITS_MAX = 600;

/** Numbers that are the same in every run. */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function runOn(stores: VersionsStores, commits: number, valueBytes: number) {
  const plan = { commits, operations: 1_000, keys: 10_000, valueBytes, checkEvery: 20 };
  return versionsRun(stores, plan, sequence(7));
}

function expectRight(report: VersionsReport, commits: number): void {
  assert.deepEqual(report.wrong, []);
  assert.equal(report.commits, commits);
  assert.ok(report.reads > commits, 'hardly anything was read');
}

test('commits and groups of them beside readers of all ages leave LevelDB with what the model holds', async (t) => {
  const { mock } = t.mock.method(WriterThread.prototype, 'write');
  const stores = await openVersionsStores(temporaryDirectory(t), SMALL);
  expectRight(await runOn(stores, COMMITS, 4_000), COMMITS);
  await stores.close();
  assert.equal(mock.callCount(), GROUPS, 'the thread has written each group');
});

test('the database in memory passes the same commits and readers', async () => {
  const store = new MemoryStore();
  expectRight(await runOn({ store, written: store }, 12, 16), 12);
});

test('the same run finds the fault of the engine where writes do not wait for scans', async (t) => {
  const written = await UngatedStore.open(temporaryDirectory(t), SMALL);
  const store = new GatheringStore(written);
  const { commits, wrong } = await runOn({ store, written }, CONTROL_COMMITS_MAX, 4_000);
  await written.close();
  assert.notDeepEqual(wrong, [], `nothing wrong was found in ${commits} commits`);
});
