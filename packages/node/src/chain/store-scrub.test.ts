import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, temporaryDirectory, until } from 'svc-base/testing';
import { LevelStore } from 'svc-storage';
import { StoreScrub } from './store-scrub.ts';

const HOUR_MILLIS = 3_600_000;

async function databaseWithTable(directory: string): Promise<string> {
  for (let round = 0; round < 2; round++) {
    const level = await LevelStore.open(directory);
    const value = Buffer.alloc(20_000, 1);
    await level.write([{ type: 'put', key: Buffer.of(0x41, round), value }], { sync: true });
    await level.close();
  }
  const table = readdirSync(directory).find((name) => name.endsWith('.ldb')) ?? '';
  return join(directory, table);
}

test('the files are read again every hour, and the first damage ends the node with words', async (t) => {
  const database = temporaryDirectory(t);
  const path = await databaseWithTable(database);
  const clock = new ManualClock();
  const fatal: unknown[] = [];
  const onFatal = (error: unknown) => void fatal.push(error);
  const scrub = new StoreScrub({ database, clock, log: SILENT_LOG, onFatal });
  await until(() => clock.pending === 1, 'the wait for the first round');
  clock.advance(60_000);
  await until(() => clock.pending === 1, 'the end of a round without damage');
  assert.deepEqual(fatal, []);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.of(9), 0, 1, 1_000);
  closeSync(file);
  clock.advance(HOUR_MILLIS);
  await until(() => fatal.length > 0, 'the damage');
  assert.match(String(fatal), /StoreDamagedError.*tables balances/s);
  await scrub.close();
});

test('a node that is closed does not wait for its scrub', async (t) => {
  const database = temporaryDirectory(t);
  await databaseWithTable(database);
  const clock = new ManualClock();
  const scrub = new StoreScrub({
    database,
    clock,
    log: SILENT_LOG,
    onFatal: (error) => assert.fail(String(error)),
  });
  await scrub.close();
  assert.equal(clock.pending, 0);
});
