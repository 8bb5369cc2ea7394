/**
 * Corruption that comes while a store is open, after its blocks were found sound: a compaction that reads it gives it a fresh
 * checksum of the engine.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { StoreDamagedError } from '../errors.ts';
import { ChecksummedStore } from '../key-value/checksummed-store.ts';
import { LevelStore } from '../key-value/level-store.ts';
import { LAYOUT } from '../layout.ts';
import { CHAIN_CONTENTS } from './contents.ts';
import { openCheckedLevel } from './open-level.ts';
import { scrubTables } from './scrub.ts';

const RECORDS = 2_000;
const ROTTEN = 777;
const SIZES = { writeBufferBytes: 64 << 10, fileBytes: 1 << 20, cacheBytes: 1 << 16 };
const WITHOUT_PAUSES = { contents: CHAIN_CONTENTS, pieceBytes: 1 << 20, pause: async () => true };
const EVERYTHING = { from: Uint8Array.of(0), to: Uint8Array.of(0xff) };

function keyOf(index: number): Buffer {
  const key = Buffer.alloc(49, 0x11);
  key[0] = LAYOUT.statuses.prefix;
  key.writeUInt32BE(64 * index + 1, 1);
  key.writeUInt32BE(index, 45);
  return key;
}

function write(store: ChecksummedStore, every: number, value: number): Promise<void> {
  const indexes = Array.from({ length: RECORDS / every }, (_, at) => at * every);
  return store.write(
    indexes.map((at) => ({ type: 'put', key: keyOf(at), value: Buffer.alloc(100, value) })),
    { sync: true },
  );
}

/** A database whose records are in tables. */
async function filled(t: TestContext): Promise<string> {
  const directory = temporaryDirectory(t);
  for (let round = 0; round < 2; round++) {
    const level = await LevelStore.open(directory, SIZES);
    if (round === 0) await write(new ChecksummedStore(level), 1, 1);
    await level.close();
  }
  return directory;
}

/** Turns a bit, counted from the last bytes of a key on, in the file that holds the record; returns the function that turns it back. */
function turnBit(directory: string, byte: number, bit: number): () => void {
  for (const name of readdirSync(directory).filter((one) => one.endsWith('.ldb'))) {
    const path = join(directory, name);
    const sound = readFileSync(path);
    const at = sound.indexOf(keyOf(ROTTEN).subarray(45));
    if (at < 0) continue;
    const damaged = Buffer.from(sound);
    damaged[at + byte] = (damaged[at + byte] as number) ^ (1 << bit);
    writeFileSync(path, damaged, { flag: 'r+' });
    return () => writeFileSync(path, sound, { flag: 'r+' });
  }
  assert.fail('no file holds the record');
}

for (const { what, byte, bit } of [
  { what: 'a key', byte: 3, bit: 1 },
  { what: 'the kind of a record', byte: 4, bit: 2 },
  { what: 'a value', byte: 40, bit: 5 },
])
  test(`a turned bit of ${what} is found by the scrub also when a compaction has carried it on`, async (t) => {
    const directory = await filled(t);
    const level = await LevelStore.open(directory, SIZES);
    const store = new ChecksummedStore(level);
    turnBit(directory, byte, bit);
    await write(store, 5, 2);
    await level.compact({ from: keyOf(0), to: keyOf(RECORDS) });
    await assert.rejects(
      scrubTables(directory, WITHOUT_PAUSES),
      (error: unknown) =>
        error instanceof StoreDamagedError &&
        /\.ldb is damaged: a record in the block at \d+ is not as it was written \(tables statuses\)/.test(
          error.message,
        ),
    );
    await level.close();
  });

test('a compaction that the store asks for reads no table that has become corrupt since it was opened', async (t) => {
  const directory = await filled(t);
  const { store, unchecked } = await openCheckedLevel(directory, SIZES);
  assert.equal(await unchecked.checkRest(), undefined);
  const turnBack = turnBit(directory, 3, 1);
  await assert.rejects(store.compact(EVERYTHING), /has a wrong checksum \(tables statuses\)/);
  turnBack();
  await store.compact(EVERYTHING);
  assert.ok(store.getSync(keyOf(ROTTEN)));
  await store.close();
});
