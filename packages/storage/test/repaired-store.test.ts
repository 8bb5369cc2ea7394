import assert from 'node:assert/strict';
import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { LevelStore } from '../src/key-value/level-store.ts';
import { rangeOf, type StoreTable } from '../src/layout.ts';
import { databaseOf } from '../src/open/open-store.ts';
import { findDamage, repairStore } from '../src/repair/repair-store.ts';
import { climb, ladderOptions, openLadder } from './testing/ladder-store.ts';
import { WatchedSyncs } from './testing/power-loss.ts';

const CUTS = 12;

await init();

async function soundStore(directory: string): Promise<void> {
  const store = await openLadder(directory);
  await climb(store, CUTS);
  await store.close();
}

/** Puts a record that was changed in several places, as a compaction would carry it on. */
async function corruptTable(directory: string, table: StoreTable): Promise<void> {
  const level = await LevelStore.open(databaseOf(directory));
  const [first] = await level.range({ ...rangeOf(table), limit: 1 });
  assert.ok(first);
  const value = Buffer.from(first[1]);
  for (const at of [0, value.length - 1]) value[at] = (value[at] as number) ^ 0x5a;
  await level.write([{ type: 'put', key: first[0], value }], { sync: true });
  await level.close();
}

/** A store whose history had to be made anew, which is written after everything that was copied. */
async function repairedStore(t: TestContext): Promise<string> {
  const directory = temporaryDirectory(t);
  await soundStore(directory);
  await corruptTable(directory, 'history');
  const target = join(temporaryDirectory(t), 'chain');
  const { rebuilt, mustExecute } = await repairStore({
    ...ladderOptions(),
    directory,
    target,
    source: () => assert.fail('peers are asked'),
  });
  assert.deepEqual([rebuilt, mustExecute], [['history'], undefined]);
  return target;
}

async function recordsOf(directory: string, table: StoreTable): Promise<number> {
  const store = await openLadder(directory);
  let count = 0;
  for await (const entries of store.keyValues.scan(rangeOf(table))) count += entries.length;
  assert.equal(store.head?.height, CUTS);
  await store.close();
  return count;
}

test('a loss of power after a repair takes nothing of the new store', async (t) => {
  const sound = temporaryDirectory(t);
  await soundStore(sound);
  const syncs = new WatchedSyncs(t);
  const target = await repairedStore(t);
  syncs.losePower(target);
  assert.equal(await findDamage(target), undefined);
  assert.equal(await recordsOf(target, 'history'), await recordsOf(sound, 'history'));
});

test('a repaired store knows how far it had come: a log that is cut short afterwards is reported', async (t) => {
  const target = await repairedStore(t);
  const database = databaseOf(target);
  const [log] = readdirSync(database).filter((name) => name.endsWith('.log'));
  const path = join(database, String(log));
  truncateSync(path, statSync(path).size >> 2);
  await assert.rejects(openLadder(target), /had reached cut 12 and now ends at/);
});
