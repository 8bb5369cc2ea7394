import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, readSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { StoreDamagedError } from '../errors.ts';
import { ChecksummedStore } from '../key-value/checksummed-store.ts';
import { LevelStore } from '../key-value/level-store.ts';
import { LAYOUT } from '../layout.ts';
import { CHAIN_CONTENTS } from './contents.ts';
import { scrubTables } from './scrub.ts';

const RECORDS = 2_000;
const FLIPS = 200;
const CONTENTS = { contents: CHAIN_CONTENTS };
const WITHOUT_PAUSES = { ...CONTENTS, pieceBytes: 4_096, pause: async () => true };

/** A database whose records are in a table file; opening it again moves them there from the log. */
async function databaseWithTable(directory: string): Promise<string> {
  for (let round = 0; round < 2; round++) {
    const level = new ChecksummedStore(await LevelStore.open(directory));
    const operations = Array.from({ length: round === 0 ? RECORDS : 0 }, (_, index) => {
      const key = Buffer.from([LAYOUT.balances.prefix, index >> 8, index & 0xff]);
      return { type: 'put', key, value: Buffer.alloc(40, index) } as const;
    });
    await level.write(operations, { sync: true });
    await level.close();
  }
  const tables = readdirSync(directory).filter((name) => name.endsWith('.ldb'));
  assert.equal(tables.length, 1);
  return join(directory, tables[0] as string);
}

function flip(path: string, bit: number): void {
  const file = openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, bit >> 3);
  byte[0] = (byte[0] as number) ^ (1 << (bit & 7));
  writeSync(file, byte, 0, 1, bit >> 3);
  closeSync(file);
}

test(`each of ${FLIPS} flipped bits of a table file is found and named, wherever it lies`, async (t) => {
  const directory = temporaryDirectory(t);
  const path = await databaseWithTable(directory);
  const size = await scrubTables(directory, WITHOUT_PAUSES);
  assert.ok(size > RECORDS * 40);
  for (let turn = 0; turn < FLIPS; turn++) {
    // Half of the flips are in the last bytes, where filters, indexes and the footer are.
    const within = turn % 2 === 0 ? size : 6_000;
    const bit = (size - within) * 8 + ((turn * 7_919 * 104_729) % (within * 8));
    flip(path, bit);
    await assert.rejects(
      scrubTables(directory, WITHOUT_PAUSES),
      (error: unknown) => error instanceof StoreDamagedError && error.message.includes(path),
      `bit ${bit} of ${size * 8}`,
    );
    flip(path, bit);
  }
  assert.equal(await scrubTables(directory, WITHOUT_PAUSES), size);
});

test('damage among records names their table and the ways to repair', async (t) => {
  const directory = temporaryDirectory(t);
  flip(await databaseWithTable(directory), 8_000);
  await assert.rejects(
    scrubTables(directory, WITHOUT_PAUSES),
    /wrong checksum \(tables balances\).*svcd snapshot import.*svcd reindex/s,
  );
});

test('a table that is cut short under a store is reported, and a scrub ends when it is not wanted', async (t) => {
  const directory = temporaryDirectory(t);
  const path = await databaseWithTable(directory);
  assert.equal(
    await scrubTables(directory, { ...WITHOUT_PAUSES, pieceBytes: 1, pause: async () => false }),
    0,
  );
  truncateSync(path, 10_000);
  await assert.rejects(scrubTables(directory, WITHOUT_PAUSES), /10000 bytes instead of/);
});

test('beside commits and compactions nothing is called damaged', async (t) => {
  const directory = temporaryDirectory(t);
  const sizes = { writeBufferBytes: 256 << 10, fileBytes: 1 << 20, cacheBytes: 1 << 20 };
  const level = new ChecksummedStore(await LevelStore.open(directory, sizes));
  let isWriting = true;
  const writing = (async () => {
    for (let commit = 0; commit < 40; commit++) {
      const operations = Array.from({ length: 100 }, (_, index) => {
        const key = Buffer.of(LAYOUT.balances.prefix, (index * 7 + commit) & 0xff, index);
        return { type: 'put', key, value: Buffer.alloc(4_000, commit) } as const;
      });
      await level.write(operations, { sync: false });
    }
    isWriting = false;
  })();
  const pause = () => new Promise<boolean>((resolve) => void setImmediate(() => resolve(true)));
  let bytes = 0;
  while (isWriting) {
    await pause();
    bytes += await scrubTables(directory, { ...CONTENTS, pieceBytes: 1, pause });
  }
  await writing;
  await level.close();
  bytes += await scrubTables(directory, { ...CONTENTS, pieceBytes: 1 << 20, pause });
  assert.ok(bytes > 0, 'there are no tables');
});
