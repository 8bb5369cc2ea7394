import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { bodyPath } from '../src/bodies/body-files.ts';
import { bodiesOf } from '../src/bodies/body-store.ts';
import { scrubBodies } from '../src/bodies/scrub-bodies.ts';
import { StoreDamagedError, StoreUnavailableError } from '../src/errors.ts';
import { ChecksummedStore } from '../src/key-value/checksummed-store.ts';
import type { Entry } from '../src/key-value/key-value-store.ts';
import { LevelStore } from '../src/key-value/level-store.ts';
import { LAYOUT, rangeOf } from '../src/layout.ts';
import { databaseOf } from '../src/open/open-store.ts';
import type { ChainSource } from '../src/repair/fetch-chain.ts';
import { findDamage, repairStore } from '../src/repair/repair-store.ts';
import { salvageDatabase } from '../src/repair/salvage-database.ts';
import type { Loss } from '../src/repair/versions.ts';
import { endFailing, failReads } from './testing/failing-disk.ts';
import { climbWithBlocks } from './testing/heavy-ladder.ts';
import { climb, ladderOptions, openLadder } from './testing/ladder-store.ts';

const BLOCK_BYTES = 10_000;
const RECORDS = 3_000;
const SECTOR = 4_096;
const SCRUB = { pieceBytes: 1 << 20, pause: async () => true };
const NOTHING: ChainSource = {
  header: async () => undefined,
  cutBody: async () => undefined,
  certificate: async () => undefined,
  validatorSet: async () => undefined,
  blocks: async () => [],
};

await init();

function keyOf(index: number): Buffer {
  return Buffer.of(LAYOUT.balances.prefix, index >> 8, index & 0xff);
}

/** Records in one table, and as many again in the log. */
async function twoHalves(t: TestContext): Promise<string> {
  const directory = temporaryDirectory(t);
  for (let half = 0; half < 2; half++) {
    const level = await LevelStore.open(directory);
    const store = new ChecksummedStore(level);
    for (let index = half; index < RECORDS; index += 2)
      await store.write([{ type: 'put', key: keyOf(index), value: Buffer.alloc(100, index) }], {
        sync: false,
      });
    await level.close();
  }
  return directory;
}

function fileIn(directory: string, ending: string): { name: string; size: number } {
  const names = readdirSync(directory).filter((name) => name.endsWith(ending));
  const name = names.find((one) => statSync(join(directory, one)).size > 0);
  assert.ok(name !== undefined, names.join());
  return { name, size: statSync(join(directory, name)).size };
}

function salvage(directory: string) {
  const losses: Loss[] = [];
  let isShortened = false;
  const entries: Entry[] = [
    ...salvageDatabase(directory, {
      onLoss: (loss) => void losses.push(loss),
      onMended: () => assert.fail('nothing is mended'),
      onShortened: () => {
        isShortened = true;
      },
    }),
  ];
  return { losses, isShortened, keys: new Set(entries.map(([key]) => toHex(key))) };
}

test('a body that the disk cannot read is named by every reader, and a repair asks peers for its block alone', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openLadder(directory);
  await climbWithBlocks(store, 4, BLOCK_BYTES);
  const ending = bodyPath(bodiesOf(databaseOf(directory)), 1);
  failReads(t, { ending, from: 15_000, to: 15_512 });
  const words = /000001\.bodies is damaged: the disk cannot read it at byte \d+.*svcd repair/;
  const isTold = (error: unknown) => {
    assert.ok(error instanceof StoreDamagedError, String(error));
    assert.match(error.message, words);
    return true;
  };
  const all = { ...rangeOf('blockBodies'), limit: 100 };
  await assert.rejects(store.keyValues.range(all), isTold);
  await store.close();
  await assert.rejects(scrubBodies(databaseOf(directory), SCRUB), isTold);
  assert.ok(isTold(await findDamage(directory)));
  const asked: string[] = [];
  const blocks = async (ids: readonly string[]) => {
    asked.push(...ids);
    return [];
  };
  const target = join(temporaryDirectory(t), 'chain');
  const source = async () => ({ ...NOTHING, blocks });
  await assert.rejects(
    repairStore({ ...ladderOptions(), directory, target, source }),
    StoreUnavailableError,
  );
  assert.equal(asked.length, 1);
});

test('a sector of a table that the disk cannot read costs the blocks in it, and its place is reported', async (t) => {
  const directory = await twoHalves(t);
  const { name } = fileIn(directory, '.ldb');
  failReads(t, { ending: name, from: 40_000, to: 40_100 });
  const { keys, losses, isShortened } = salvage(directory);
  assert.equal(isShortened, false);
  assert.match(losses.map(({ reason }) => reason).join(), new RegExp(`${name} at \\d+`));
  const isLost = (key: Uint8Array) =>
    losses.some(({ from, to }) => Buffer.compare(from, key) <= 0 && Buffer.compare(key, to) <= 0);
  const expected = Array.from({ length: RECORDS }, (_, index) => keyOf(index));
  const sure = expected.filter((key) => !isLost(key));
  assert.ok(sure.length > RECORDS - 400, `${sure.length} are sure`);
  for (const key of sure) assert.ok(keys.has(toHex(key)));
});

test('an index that the disk cannot read costs nothing', async (t) => {
  const directory = await twoHalves(t);
  const { name, size } = fileIn(directory, '.ldb');
  failReads(t, { ending: name, from: size - 60, to: size });
  const { keys, losses } = salvage(directory);
  assert.deepEqual([keys.size > RECORDS - 200, losses.length <= 1], [true, true]);
});

test('a log that the disk cannot read in the middle is believed up to there, and reported by name', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openLadder(directory);
  await climb(store, 6);
  await store.close();
  const { name, size } = fileIn(databaseOf(directory), '.log');
  failReads(t, { ending: name, from: size - SECTOR, to: size });
  const { isShortened, keys } = salvage(databaseOf(directory));
  assert.ok(isShortened && keys.size > 0);
  assert.match(String(await findDamage(directory)), new RegExp(`${name}.*the disk cannot read it`));
  await assert.rejects(openLadder(directory), new RegExp(`${name}.*the disk cannot read it`));
});

test('a manifest that the disk cannot read is reported by name, and tables are found without it', async (t) => {
  const directory = await twoHalves(t);
  const [manifest] = readdirSync(directory).filter((name) => name.startsWith('MANIFEST'));
  failReads(t, { ending: String(manifest), from: 0, to: 100 });
  assert.equal(salvage(directory).keys.size, RECORDS);
});

test('saved trees that the disk cannot read are built anew, and the file is gone', async (t) => {
  const directory = temporaryDirectory(t);
  const first = await openLadder(directory);
  await climb(first, 6);
  await first.close();
  const trees = join(directory, 'trees');
  assert.ok(existsSync(trees));
  failReads(t, { ending: '/trees', from: 0, to: 1 << 30 });
  const store = await openLadder(directory);
  assert.equal(existsSync(trees), false);
  endFailing(t);
  await climb(store, 8);
  await store.close();
  await (await openLadder(directory)).close();
});

test('a mark of how far the store had come that the disk cannot read is reported by name', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openLadder(directory);
  await climb(store, 2);
  await store.close();
  failReads(t, { ending: '/reached', from: 0, to: 1 });
  assert.match(String(await findDamage(directory)), /reached, which tells how far.* is damaged/);
  await assert.rejects(openLadder(directory), /reached, which tells how far.* is damaged/);
});
