import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf } from './identifiers.ts';
import { writeHex } from './protocol.ts';

test('bytes are those of the digits, in either case', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, value) => value);
  const hex = Buffer.from(bytes).toString('hex');
  assert.deepEqual(bytesOf(hex), bytes);
  assert.deepEqual(bytesOf(hex.toUpperCase()), bytes);
  const memory = new Uint8Array(4).fill(7);
  writeHex('a0ff', memory, 1);
  assert.deepEqual([...memory], [7, 0xa0, 0xff, 7]);
});

test('a text of something else, or one for which there is no room, is no bytes', () => {
  for (const text of ['0', '0g', 'g0', '0 ', '00\u0130', '00\u0130\u0130', '\ud83d\ude00'])
    assert.throws(() => bytesOf(text), text);
  assert.throws(() => writeHex('0000', new Uint8Array(2), 1));
});
