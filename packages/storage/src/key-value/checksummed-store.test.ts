import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withChecksum } from '../codec/checksum.ts';
import { StoreDamagedError } from '../errors.ts';
import { LAYOUT, rangeOf, type StoreTable } from '../layout.ts';
import { ChecksummedStore } from './checksummed-store.ts';
import { LevelStore } from './level-store.ts';
import { MemoryStore } from './memory-store.ts';

const VALUE = Uint8Array.of(1, 2, 3, 4, 5);

function keyOf(table: StoreTable): Uint8Array {
  return Uint8Array.of(LAYOUT[table].prefix, 7, 8);
}

async function readAll(store: ChecksummedStore, table: StoreTable): Promise<Uint8Array[]> {
  const key = keyOf(table);
  const found = [store.getSync(key), (await store.getMany([key]))[0]];
  for (const [, value] of await store.range({ ...rangeOf(table), limit: 2 })) found.push(value);
  for await (const entries of store.scan(rangeOf(table)))
    for (const [, value] of entries) found.push(value);
  return found.filter((value) => value !== undefined);
}

const tables = Object.keys(LAYOUT).filter((name) => name !== 'buckets') as StoreTable[];

for (const table of tables) {
  test(`every bit of a record of ${table} that changes is found by every kind of read`, async () => {
    const disk = new MemoryStore();
    const store = new ChecksummedStore(disk);
    const key = keyOf(table);
    const value = LAYOUT[table].checked ? withChecksum(key, VALUE) : VALUE;
    await store.write([{ type: 'put', key, value }], { sync: true });
    assert.deepEqual(
      (await readAll(store, table)).map((found) => [...found]),
      Array.from({ length: 4 }, () => [...value]),
    );
    const record = disk.getSync(key)?.slice() as Uint8Array;
    const named = (error: unknown) =>
      error instanceof StoreDamagedError && error.message.includes(`a record of ${table} has`);
    for (let bit = 0; bit < record.length * 8; bit++) {
      const damaged = record.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      await disk.write([{ type: 'put', key, value: damaged }]);
      assert.throws(() => store.getSync(key), named);
      await assert.rejects(store.getMany([key]), named);
      await assert.rejects(store.range({ ...rangeOf(table), limit: 1 }), named);
      await assert.rejects(readAll(store, table), named);
    }
    const foreign = Uint8Array.of(LAYOUT[table].prefix, 7, 9);
    await disk.write([{ type: 'put', key: foreign, value: record }]);
    assert.throws(() => store.getSync(foreign), named);
  });
}

test('records of one batch share no memory on the disk, whatever their sizes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-checksummed-'));
  const level = await LevelStore.open(directory);
  try {
    const batch = new ChecksummedStore(level).batch();
    const values = [3, 90_000, 0, 70, 200_000, 5].map((size, place) =>
      new Uint8Array(size).fill(place + 1),
    );
    const keys = values.map((_, place) => Uint8Array.of(LAYOUT.outputs.prefix, place, 9));
    values.forEach((value, place) => {
      batch.put(keys[place] as Uint8Array, value);
    });
    await batch.write({ sync: true });
    for (const [place, key] of keys.entries()) {
      const whole = withChecksum(key, values[place] as Uint8Array);
      assert.ok(Buffer.from(whole).equals(level.getSync(key) as Uint8Array), `record ${place}`);
    }
  } finally {
    await level.close();
    rmSync(directory, { recursive: true });
  }
});
