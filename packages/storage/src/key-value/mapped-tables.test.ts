import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { LevelStore } from './level-store.ts';
import { tablesListed } from './mapped-tables.ts';

const RECORDS = 2_000;
const SMALL = { writeBufferBytes: 64 << 10, fileBytes: 64 << 10 };

function keyOf(index: number): Uint8Array {
  const key = Buffer.alloc(5, 0x40);
  key.writeUInt32BE(index, 1);
  return key;
}

test('pages of tables are given back while files come and go, and every answer stays what it was', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await LevelStore.open(directory, SMALL);
  t.after(() => store.close());
  let released = 0;
  for (let round = 1; round <= 12; round++) {
    const value = Buffer.alloc(100, round);
    const writing = store.write(
      Array.from({ length: RECORDS }, (_, index) => ({ type: 'put', key: keyOf(index), value })),
      { sync: false },
    );
    released += await store.releasePages();
    await writing;
    const compacting = store.compact({ from: keyOf(0), to: keyOf(RECORDS) });
    for (let turn = 0; turn < 3; turn++) released += await store.releasePages();
    await compacting;
    const found = await store.range({ from: keyOf(0), to: keyOf(RECORDS), limit: RECORDS });
    assert.equal(found.length, RECORDS);
    for (const [, bytes] of found) assert.ok(value.equals(bytes));
  }
  if (process.platform === 'linux') assert.ok(released > 1 << 20, `${released} bytes`);
});

test('the tables of a database are read from the list of its engine', () => {
  const list =
    "--- level 0 ---\n 7:120['\\x10[ 9:1[' .. 'z']\n--- level 1 ---\n 1234567:3['a' .. 'b']\n";
  assert.deepEqual([...tablesListed(list)], ['000007.ldb', '1234567.ldb']);
});
