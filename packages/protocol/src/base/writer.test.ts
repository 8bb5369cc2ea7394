import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toHex } from './bytes.ts';
import { Writer } from './writer.ts';

function written(write: (writer: Writer) => Writer): string {
  return toHex(write(new Writer(1)).finish());
}

test('integers are little-endian and of fixed width', () => {
  assert.equal(
    written((w) => w.u8(0xab)),
    'ab',
  );
  assert.equal(
    written((w) => w.u16(0x0102)),
    '0201',
  );
  assert.equal(
    written((w) => w.u32(0x01020304)),
    '04030201',
  );
  assert.equal(
    written((w) => w.i32(-2)),
    'feffffff',
  );
  assert.equal(
    written((w) => w.u64(0x0102030405060708n)),
    '0807060504030201',
  );
});

test('a varint takes the fewest bytes that hold its value', () => {
  const table: readonly (readonly [number, string])[] = [
    [0, '00'],
    [127, '7f'],
    [128, '8001'],
    [16383, 'ff7f'],
    [16384, '808001'],
    [0xffff_ffff, 'ffffffff0f'],
  ];
  for (const [value, hex] of table)
    assert.equal(
      written((w) => w.varint(value)),
      hex,
    );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (value) => {
      const bytes = new Writer().varint(value).finish();
      const read = bytes.reduceRight((sum, byte) => sum * 128 + (byte & 127), 0);
      assert.equal(read, value);
      assert.equal(bytes.length, Math.max(1, Math.ceil(value.toString(2).length / 7)));
      assert.ok(bytes.length === 1 || bytes.at(-1) !== 0);
    }),
  );
});

test('a writer grows as needed and hands out a copy', () => {
  const writer = new Writer(1);
  for (let i = 0; i < 1000; i++) writer.u8(i & 255);
  const first = writer.finish();
  assert.equal(first.length, 1000);
  assert.deepEqual([...first.subarray(253, 258)], [253, 254, 255, 0, 1]);
  first.fill(0);
  assert.equal(writer.finish()[1], 1);
  assert.equal(
    written((w) => w.counted(Uint8Array.of(1, 2)).raw(Uint8Array.of(3))),
    '02010203',
  );
});

test('a value out of range is a fault of the caller', () => {
  const table: readonly ((writer: Writer) => Writer)[] = [
    (w) => w.u8(256),
    (w) => w.u8(-1),
    (w) => w.u8(1.5),
    (w) => w.u16(65536),
    (w) => w.u32(2 ** 32),
    (w) => w.varint(2 ** 32),
    (w) => w.i32(2 ** 31),
    (w) => w.i32(-(2 ** 31) - 1),
    (w) => w.i32(0.5),
    (w) => w.u64(-1n),
    (w) => w.u64(2n ** 64n),
    (w) => w.u32(Number.NaN),
  ];
  for (const write of table) assert.throws(() => write(new Writer()), RangeError);
});
