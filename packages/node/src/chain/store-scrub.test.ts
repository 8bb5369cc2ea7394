import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, temporaryDirectory, until } from 'svc-base/testing';
import { CHAIN_CONTENTS, ChecksummedStore } from 'svc-storage';
import { StoreScrub } from './store-scrub.ts';

const HOUR_MILLIS = 3_600_000;

async function databaseWithTable(directory: string, bytes = 20_000): Promise<string> {
  for (let round = 0; round < 2; round++) {
    const store = await ChecksummedStore.open(directory);
    const value = Buffer.alloc(bytes, 1);
    await store.write([{ type: 'put', key: Buffer.of(0x41, round), value }], { sync: true });
    await store.close();
  }
  const table = readdirSync(directory).find((name) => name.endsWith('.ldb')) ?? '';
  return join(directory, table);
}

interface Kit {
  readonly scrub: StoreScrub;
  readonly clock: ManualClock;
  readonly fatal: unknown[];
}

function startScrub(t: TestContext, directory: string, isBusy = () => false): Kit {
  const clock = new ManualClock();
  const fatal: unknown[] = [];
  const scrub = new StoreScrub({
    databases: [{ directory, contents: CHAIN_CONTENTS }],
    intervalMillis: HOUR_MILLIS,
    isBusy,
    clock,
    log: SILENT_LOG,
    onFatal: (error) => void fatal.push(error),
  });
  t.after(() => scrub.close());
  return { scrub, clock, fatal };
}

test('the files are read again every hour, and the first damage ends the node with words', async (t) => {
  const directory = temporaryDirectory(t);
  const path = await databaseWithTable(directory);
  const { scrub, clock, fatal } = startScrub(t, directory);
  await until(() => clock.pending === 1, 'the wait for the first round');
  clock.advance(60_000);
  await until(() => scrub.rounds === 1 && clock.pending === 1, 'the end of a sound round');
  assert.ok(scrub.bytes > 20_000);
  assert.deepEqual(fatal, []);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.of(9), 0, 1, 1_000);
  closeSync(file);
  clock.advance(HOUR_MILLIS);
  await until(() => fatal.length > 0, 'the damage');
  assert.match(String(fatal), /StoreDamagedError.*tables balances/s);
  assert.equal(scrub.rounds, 1);
});

test('a busy node reads one piece in five minutes', async (t) => {
  const directory = temporaryDirectory(t);
  await databaseWithTable(directory, 2 << 20);
  let isBusy = true;
  let asked = 0;
  const { scrub, clock, fatal } = startScrub(t, directory, () => {
    asked++;
    return isBusy;
  });
  const nextWait = (before: number) =>
    until(() => clock.pending === 1 && asked > before, 'the next look at the load');
  await until(() => clock.pending === 1, 'the wait for the first round');
  clock.advance(60_000);
  await until(() => clock.pending === 1, 'the pause behind the first piece');
  clock.advance(250);
  for (let pauses = 1; pauses < 60; pauses++) {
    await nextWait(pauses - 1);
    assert.equal(scrub.rounds, 0, `after ${pauses} pauses`);
    clock.advance(5_000);
  }
  await nextWait(59);
  isBusy = false;
  while (scrub.rounds === 0) {
    await until(() => clock.pending === 1 || scrub.rounds === 1, 'the end of the round');
    if (scrub.rounds === 0) clock.advance(5_000);
  }
  assert.deepEqual(fatal, []);
});

test('a node that is closed does not wait for its scrub', async (t) => {
  const directory = temporaryDirectory(t);
  await databaseWithTable(directory);
  const { scrub, clock, fatal } = startScrub(t, directory);
  await scrub.close();
  assert.equal(clock.pending, 0);
  assert.deepEqual(fatal, []);
});
