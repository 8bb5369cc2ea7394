import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32c } from './crc32c.ts';

/** Bit by bit, as the polynomial says. */
function slow(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ ((value & 1) * 0x82f63b78);
  }
  return ~value >>> 0;
}

test('checksums are those of the polynomial, whatever the length and the place', () => {
  assert.equal(crc32c(Buffer.from('123456789'), 0, 9), 0xe3069283);
  const bytes = Uint8Array.from({ length: 100 }, (_, at) => (at * 151 + 7) & 0xff);
  for (let start = 0; start < 20; start++) {
    for (let end = start; end < 50; end++) {
      assert.equal(crc32c(bytes, start, end), slow(bytes.subarray(start, end)));
    }
  }
});
