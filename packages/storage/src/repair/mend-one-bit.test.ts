import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { crc32c } from '../open/crc32c.ts';
import { CASTAGNOLI, IEEE, turnedBit, withBitTurned } from './mend-one-bit.ts';

const BYTES = Buffer.from(Array.from({ length: 200 }, (_, at) => (at * 77) & 0xff));

test('every single turned bit is found by either checksum, also one of the checksum itself', () => {
  for (let bit = 0; bit < 8 * BYTES.length; bit++) {
    const damaged = withBitTurned(BYTES, bit);
    assert.equal(turnedBit(BYTES.length, crc32(damaged) ^ crc32(BYTES), IEEE), bit);
    const difference = crc32c(damaged, 0, BYTES.length) ^ crc32c(BYTES, 0, BYTES.length);
    assert.equal(turnedBit(BYTES.length, difference, CASTAGNOLI), bit);
  }
  for (let bit = 0; bit < 32; bit++)
    assert.equal(turnedBit(BYTES.length, (1 << bit) >>> 0, IEEE), 8 * BYTES.length + bit);
});

test('damage to two bits is not taken for damage to one', () => {
  for (let bit = 1; bit < 8 * BYTES.length; bit += 3) {
    const damaged = withBitTurned(withBitTurned(BYTES, 0), bit);
    assert.equal(turnedBit(BYTES.length, crc32(damaged) ^ crc32(BYTES), IEEE), undefined);
  }
});
