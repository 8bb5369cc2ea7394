import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { UnsortedRecords } from './unsorted-records.ts';

test('records leave by the parts of their keys, each of them once, however many pieces there were', (t) => {
  const path = join(temporaryDirectory(t), 'unsorted');
  const records = new UnsortedRecords(path, {
    prefix: 0x40,
    keyBytes: 4,
    valueBytes: 3,
    partOf: (bytes, at) => (bytes[at] as number) >> 5,
  });
  const count = 60_000;
  const record = Buffer.alloc(9);
  for (let index = 0; index < count; index++) {
    record.writeUInt32BE((index * 2_654_435_761) >>> 0, 1);
    record.writeUIntBE(index, 5, 3);
    records.add(record, 1);
  }
  const seen = new Set<number>();
  let part = 0;
  for (const piece of records.sorted())
    for (const [key, value] of piece) {
      assert.equal(key[0], 0x40);
      const index = Buffer.from(value).readUIntBE(0, 3);
      assert.equal(Buffer.from(key).readUInt32BE(1), (index * 2_654_435_761) >>> 0);
      assert.ok((key[1] as number) >> 5 >= part, 'parts ascend');
      part = (key[1] as number) >> 5;
      seen.add(index);
    }
  assert.equal(seen.size, count);
  assert.equal(part, 7);
  records.close();
  assert.ok(!existsSync(path));
});
