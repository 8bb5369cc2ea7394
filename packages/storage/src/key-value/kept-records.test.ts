import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KeptRecords } from './kept-records.ts';
import { forEachPacked } from './packed-records.ts';

const BATCHES = 40;
const RECORDS_PER_BATCH = 100;
const KEYS = 1_500;

/** Keys of different lengths, some the beginning of others. */
function keyOf(number: number): Uint8Array {
  const key = new Uint8Array(2 + (number % 5));
  new DataView(key.buffer).setUint16(0, Math.floor(number / 5));
  return key;
}

/** The key as text, which is different for every key. */
function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString('hex');
}

function held(records: KeptRecords): Map<string, Uint8Array | undefined> {
  const all = new Map<string, Uint8Array | undefined>();
  records.forEach((at) => void all.set(nameOf(records.key(at)), records.value(at)));
  return all;
}

describe('records that wait', () => {
  test('are found by their keys as in a map, while memory and index grow', () => {
    const records = new KeptRecords();
    const model = new Map<string, Uint8Array | undefined>();
    for (let batch = 0; batch < BATCHES; batch++) {
      const isKept = batch % 4 !== 3;
      for (let place = 0; place < RECORDS_PER_BATCH; place++) {
        const number = batch * RECORDS_PER_BATCH + place;
        const key = keyOf((number * 7_919) % KEYS);
        const value =
          number % 3 === 0 ? undefined : new Uint8Array((number * 31) % 2_000).fill(number);
        records.append(key, value);
        if (isKept) model.set(nameOf(key), value);
      }
      if (isKept) records.keepAppended();
      else records.forgetAppended();
    }
    assert.deepEqual(held(records), model);
    for (let number = 0; number < KEYS; number++) {
      const key = keyOf(number);
      const found = records.find(key);
      assert.equal(found !== undefined, model.has(nameOf(key)));
      if (found !== undefined) assert.deepEqual(records.value(found), model.get(nameOf(key)));
    }
  });

  test('are gone when they are cleared, and views of them stay as they were', () => {
    const records = new KeptRecords();
    records.append(Uint8Array.of(1), Uint8Array.of(2, 3));
    records.keepAppended();
    const view = records.value(records.find(Uint8Array.of(1)) ?? assert.fail());
    records.clear();
    records.append(Uint8Array.of(4), Uint8Array.of(5, 6));
    records.keepAppended();
    assert.deepEqual(view, Uint8Array.of(2, 3));
    assert.equal(records.find(Uint8Array.of(1)), undefined);
    assert.deepEqual(held(records), new Map([['04', Uint8Array.of(5, 6)]]));
  });

  test('are the same whether they were copied or packed where they lie, also beyond a chunk', () => {
    const [copied, packed] = [new KeptRecords(), new KeptRecords()];
    for (let number = 0; number < 3_000; number++) {
      const key = keyOf(number % KEYS);
      const value = number % 3 === 0 ? undefined : new Uint8Array(number % 1_500).fill(number);
      copied.append(key, value);
      packed.packer.raw(key);
      if (value === undefined) packed.endDelete();
      else {
        packed.endKey();
        packed.packer.raw(value);
        packed.endPut();
      }
    }
    for (const records of [copied, packed]) records.keepAppended();
    assert.deepEqual(held(packed), held(copied));
    assert.equal(packed.bytes, copied.bytes);
  });

  test('are copied into memory that was given back, if that is large enough and was not let go', () => {
    const records = new KeptRecords();
    const copyOf = (bytes: number) => {
      records.clear();
      records.append(Uint8Array.of(1), new Uint8Array(bytes).fill(bytes % 251));
      records.keepAppended();
      const copy = records.packed();
      forEachPacked(copy, (key, value) => {
        assert.deepEqual(key, Uint8Array.of(1));
        assert.ok(value?.every((byte) => byte === bytes % 251) && value.length === bytes);
      });
      return copy;
    };
    const first = copyOf(100_000);
    const unreturned = copyOf(100_000);
    assert.notEqual(unreturned.bytes.buffer, first.bytes.buffer, 'who writes may still read it');
    first.giveBack?.(first.bytes.buffer);
    const second = copyOf(150_000);
    assert.equal(second.bytes.buffer, first.bytes.buffer);
    second.giveBack?.(second.bytes.buffer);
    const third = copyOf(3_000_000);
    assert.notEqual(third.bytes.buffer, second.bytes.buffer);
    third.giveBack?.(third.bytes.buffer);
    records.dropSpare();
    assert.notEqual(copyOf(1_000).bytes.buffer, third.bytes.buffer);
  });

  test('have nothing of a record that was begun and abandoned', () => {
    const records = new KeptRecords();
    records.packer.u8(1).u8(2);
    records.endKey();
    records.packer.u8(3);
    records.forgetAppended();
    records.packer.u8(4);
    records.endDelete();
    records.keepAppended();
    assert.deepEqual(held(records), new Map([['04', undefined]]));
  });
});
