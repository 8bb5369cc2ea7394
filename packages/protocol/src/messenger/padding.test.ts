import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../base/svc-error.ts';
import { padText, unpadText } from './padding.ts';

function block(size: number, length: number, text: string, last = 0): Uint8Array {
  const bytes = new Uint8Array(size);
  bytes[0] = length & 255;
  bytes[1] = length >> 8;
  bytes.set(new TextEncoder().encode(text), 2);
  if (last !== 0) bytes[size - 1] = last;
  return bytes;
}

test('a text fills the smallest block that holds it', () => {
  const table: readonly (readonly [number, number])[] = [
    [1, 64],
    [62, 64],
    [63, 128],
    [1022, 1024],
    [1023, 2048],
    [4094, 4096],
  ];
  for (const [length, size] of table) {
    const text = 'a'.repeat(length);
    const padded = padText(text, '');
    assert.deepEqual(padded, block(size, length, text));
    assert.equal(unpadText(padded, ''), text);
  }
});

test('a block with any other content than text and zeros is refused', () => {
  const bad = [
    block(64, 0, ''),
    block(64, 1, 'a', 1),
    block(64, 63, 'a'),
    block(64, 65535, 'a'),
    block(128, 1, 'a'),
    block(4096, 4095, 'a'.repeat(4094)),
    block(64, 1, 'é'),
  ];
  for (const bytes of bad) {
    assert.throws(
      () => unpadText(bytes, 'payload'),
      (error) => error instanceof SvcError && error.code === 'bad_payload',
    );
  }
});
