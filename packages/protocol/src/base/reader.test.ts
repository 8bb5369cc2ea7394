import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Reader } from './reader.ts';
import { Writer } from './writer.ts';

test('what the writer writes is read back', () => {
  const bytes = new Writer(1)
    .u8(255)
    .u16(65535)
    .u32(0xffff_ffff)
    .i32(-2)
    .u64(0xffff_ffff_ffff_ffffn)
    .raw(Uint8Array.of(1, 2))
    .counted(Uint8Array.of(3, 4, 5))
    .finish();
  const reader = new Reader(bytes);
  assert.equal(reader.u8(), 255);
  assert.equal(reader.u16(), 65535);
  assert.equal(reader.u32(), 0xffff_ffff);
  assert.equal(reader.i32(), -2);
  assert.equal(reader.u64(), 0xffff_ffff_ffff_ffffn);
  assert.deepEqual(reader.raw(2), Uint8Array.of(1, 2));
  assert.deepEqual(reader.counted(3), Uint8Array.of(3, 4, 5));
  reader.end();
});

test('varints of every length are read back and their prefixes are refused', () => {
  for (const value of [0, 1, 127, 128, 16383, 16384, 2 ** 21 - 1, 2 ** 21, 2 ** 28, 2 ** 32 - 1]) {
    const bytes = new Writer().varint(value).finish();
    assert.equal(new Reader(bytes).varint(), value);
    assert.throws(() => new Reader(bytes.subarray(0, -1)).varint(), { code: 'truncated' });
  }
});

test('padded and too large varints are refused', () => {
  const cases = [
    [0x80, 0],
    [0xff, 0x80, 0],
    [0xff, 0xff, 0xff, 0xff, 0x10],
    [0xff, 0xff, 0xff, 0xff, 0xff, 0],
  ];
  for (const bytes of cases) {
    assert.throws(() => new Reader(Uint8Array.from(bytes)).varint(), { code: 'not_canonical' });
  }
});

test('a length over the limit, a short field and left-over bytes are distinguished', () => {
  assert.throws(() => new Reader(Uint8Array.of(4, 1, 2, 3, 4)).counted(3), { code: 'bad_length' });
  assert.throws(() => new Reader(Uint8Array.of(4, 1, 2, 3)).counted(4), { code: 'truncated' });
  assert.throws(() => new Reader(Uint8Array.of(1)).end(), { code: 'trailing_bytes' });
  assert.throws(() => new Reader(Uint8Array.of(1), 'package').u16(), { path: 'package' });
});
