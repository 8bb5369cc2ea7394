import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectByteList } from './byte-list.ts';

test('a list is copied, and its items are the bytes that were given', () => {
  const items = [Uint8Array.of(1), Buffer.from([2, 3])];
  const list = expectByteList(items, 'x');
  items.pop();
  assert.deepEqual(list, [Uint8Array.of(1), Uint8Array.of(2, 3)]);
});

test('a list is an array of at most 256 items, each of them bytes', () => {
  const list = (length: number) => Array.from({ length }, () => new Uint8Array(1));
  assert.equal(expectByteList(list(256), 'x').length, 256);
  assert.throws(() => expectByteList(list(257), 'x'), { code: 'bad_length', path: 'x' });
  for (const value of [undefined, 'bytes', new Uint8Array(3), { length: 1, 0: 1 }]) {
    assert.throws(() => expectByteList(value, 'x'), { code: 'bad_type', path: 'x' });
  }
  for (const value of [[1], [undefined], new Array(1), [new Uint8Array(1), [1]]]) {
    const at = `x[${value.length - 1}]`;
    assert.throws(() => expectByteList(value, 'x'), { code: 'bad_type', path: at });
  }
});
