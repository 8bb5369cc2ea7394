import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { hasChecksum, PassingRecords, withChecksum } from './checksum.ts';

/** Short ones are counted here, longer ones by the runtime. */
const LENGTHS = [...Array.from({ length: 130 }, (_, length) => length), 400, 70_000, 200_000];

function bytesFrom(seed: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * 151 + seed) & 0xff);
}

test('a record ends in the CRC-32 of its key and value, whatever their length', () => {
  const passing = new PassingRecords();
  for (const length of LENGTHS) {
    const key = bytesFrom(3, 1 + (length % 60));
    const value = bytesFrom(7, length);
    const record = withChecksum(key, value);
    const expected = Buffer.alloc(4);
    expected.writeUInt32LE(crc32(Buffer.concat([key, value])));
    assert.deepEqual(record.subarray(0, length), value);
    assert.deepEqual(Buffer.from(record.subarray(length)), expected);
    assert.deepEqual(new Uint8Array(passing.record(key, value)), record);
    assert.ok(hasChecksum(key, record));
  }
});

test('a flipped bit in key, value or checksum is found, and so is a record that is cut short', () => {
  for (const length of [0, 20, 200]) {
    const key = bytesFrom(3, 40);
    const record = withChecksum(key, bytesFrom(7, length));
    const flipped = (bytes: Uint8Array, bit: number): Uint8Array => {
      const other = bytes.slice();
      other[bit >> 3] = (other[bit >> 3] as number) ^ (1 << (bit & 7));
      return other;
    };
    for (let bit = 0; bit < 8 * key.length; bit++)
      assert.ok(!hasChecksum(flipped(key, bit), record));
    for (let bit = 0; bit < 8 * record.length; bit++)
      assert.ok(!hasChecksum(key, flipped(record, bit)));
    for (let end = 0; end < record.length; end++)
      assert.ok(!hasChecksum(key, record.subarray(0, end)));
  }
});
