import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  compareBytes,
  concatBytes,
  equalBytes,
  expectBytes,
  fromHex,
  toHex,
  wipe,
} from './bytes.ts';
import { SvcError } from './svc-error.ts';

function refused(code: string, call: () => unknown): void {
  assert.throws(call, (error) => error instanceof SvcError && error.code === code);
}

test('bytes survive hexadecimal and agree with the built-in encoder', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      assert.equal(toHex(bytes), Buffer.from(bytes).toString('hex'));
      assert.deepEqual(fromHex(toHex(bytes)), bytes);
      assert.deepEqual(fromHex(toHex(bytes), '', bytes.length), bytes);
    }),
  );
});

test('only bytes are written as hexadecimal', () => {
  for (const value of ['00', [0], null, undefined, new ArrayBuffer(1)]) {
    refused('bad_type', () => toHex(value as unknown as Uint8Array));
  }
});

test('hexadecimal of another form or length is refused', () => {
  const bad = [
    '0',
    'abz0',
    'zz',
    'AB',
    'aB',
    '0x00',
    ' 00',
    '00 ',
    '０0',
    'a\u0000',
    'é0',
    '00\n0',
  ];
  for (const text of bad) refused('bad_hex', () => fromHex(text));
  refused('bad_hex', () => fromHex('00', '', 2));
  refused('bad_hex', () => fromHex('0000', '', 1));
  for (const value of [null, 12, {}, undefined]) {
    refused('bad_type', () => fromHex(value as string));
  }
});

test('only a Uint8Array of the right length passes', () => {
  const bytes = new Uint8Array(3);
  assert.equal(expectBytes(bytes, 'x', 3), bytes);
  refused('bad_length', () => expectBytes(bytes, 'x', 4));
  for (const value of [[1, 2, 3], '000000', new ArrayBuffer(3), { length: 3 }, null]) {
    refused('bad_type', () => expectBytes(value, 'x', 3));
  }
});

test('joining keeps every byte in order', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 20 })), (parts) => {
      assert.deepEqual(concatBytes(...parts), Uint8Array.from(parts.flatMap((part) => [...part])));
    }),
  );
});

test('order and equality agree with each other and with the built-in comparison', () => {
  const short = fc.uint8Array({ maxLength: 3, max: 2 });
  fc.assert(
    fc.property(short, short, (a, b) => {
      assert.equal(Math.sign(compareBytes(a, b)), Buffer.compare(a, b));
      assert.equal(equalBytes(a, b), Buffer.compare(a, b) === 0);
    }),
    { numRuns: 500 },
  );
});

test('wiping leaves zeros', () => {
  const first = Uint8Array.of(1, 2);
  const second = Uint8Array.of(3);
  wipe(first, second);
  assert.deepEqual([...first, ...second], [0, 0, 0]);
});
