import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toHex } from 'svc-wasm/base';
import { heightKey, historyKey } from '../commit/keys.ts';
import { Packer } from './packer.ts';
import { Unpacker } from './unpacker.ts';

const RECORDS = 50_000;

describe('Unpacker', () => {
  it('reads every number as it was packed, wherever the bytes lie', () => {
    const number = fc.maxSafeInteger().map(Math.abs);
    const numbers = fc.record({
      u8: fc.nat(0xff),
      u16: fc.nat(0xffff),
      u32: fc.nat(0xffff_ffff),
      u64: fc.bigInt(0n, 2n ** 64n - 1n),
      number,
      ordered: fc.nat(0xffff_ffff),
      numberOrdered: number,
      hex: fc.uint8Array({ minLength: 5, maxLength: 5 }).map((bytes) => toHex(bytes)),
    });
    const edges = [2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n].map((u64) => ({
      ...{ u8: 0xff, u16: 0xffff, u32: 0xffff_ffff, u64, hex: 'ffffffffff' },
      ...{ number: 2 ** 53 - 1, ordered: 0xffff_ffff, numberOrdered: 2 ** 53 - 1 },
    }));
    fc.assert(
      fc.property(numbers, fc.nat(9), (some, offset) => {
        const packer = new Packer().u8(some.u8).u16(some.u16).u32(some.u32).u64(some.u64);
        packer.number(some.number).u32Ordered(some.ordered);
        const packed = packer.numberOrdered(some.numberOrdered).hex(some.hex).finish();
        const bytes = new Uint8Array(offset + packed.length);
        bytes.set(packed, offset);
        const unpacker = new Unpacker(bytes.subarray(offset), 'test');
        const read = {
          ...{ u8: unpacker.u8(), u16: unpacker.u16(), u32: unpacker.u32(), u64: unpacker.u64() },
          ...{ number: unpacker.number(), ordered: unpacker.u32Ordered() },
          ...{ numberOrdered: unpacker.numberOrdered(), hex: unpacker.hex(5) },
        };
        unpacker.end();
        assert.deepEqual(read, { ...some });
      }),
      { examples: edges.map((some) => [some, 3]) },
    );
  });
});

describe('Packer', () => {
  it('takes for one key about the memory of the key', () => {
    const address = 'ab'.repeat(32);
    for (const key of [heightKey('cutBodies', 7), historyKey(address, 7, 1)])
      assert.ok(key.buffer.byteLength <= 256, `${key.buffer.byteLength} bytes`);
  });

  it('puts many records into few chunks, and keeps each as it was packed', () => {
    const packer = new Packer();
    const packed = Array.from({ length: RECORDS }, (_, index) =>
      packer
        .numberOrdered(index)
        .raw(new Uint8Array(index % 100).fill(index))
        .finish(),
    );
    const chunks = new Set(packed.map(({ buffer }) => buffer));
    assert.ok(chunks.size <= 16, `${chunks.size} chunks`);
    for (const [index, record] of packed.entries()) {
      const expected = new Packer().numberOrdered(index).finish();
      assert.deepEqual(record.subarray(0, expected.length), expected);
      assert.equal(record.length, expected.length + (index % 100));
      assert.ok(record.subarray(expected.length).every((byte) => byte === index % 256));
    }
  });

  it('moves a record that was begun when it outgrows its chunk', () => {
    const large = new Uint8Array(3 << 20).fill(5);
    const packer = new Packer().u8(1);
    const record = packer.raw(large).u8(2).finish();
    assert.equal(record.length, large.length + 2);
    assert.deepEqual([record[0], record[1], record.at(-2), record.at(-1)], [1, 5, 5, 2]);
    assert.deepEqual(packer.u16(3).finish(), Uint8Array.of(3, 0));
  });

  it('takes parts of what another has begun, wherever that has moved', () => {
    const other = new Packer().u8(9);
    other.next();
    other.raw(new Uint8Array(1_000).fill(7)).u16(0x0201);
    const packer = new Packer().u8(8).part(other, 999, other.begun);
    assert.equal(packer.begun, 4);
    assert.deepEqual(packer.finish(), Uint8Array.of(8, 7, 1, 2));
  });
});
