import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { heightKey, historyKey } from '../commit/keys.ts';
import { Packer } from './packer.ts';

const RECORDS = 50_000;

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
