import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  compareBytes,
  concatBytes,
  decodeNatively,
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

test('bytes of every length are written digit by digit, also where they are part of others', () => {
  const all = Uint8Array.from({ length: 6_000 }, (_, at) => (at * 151) & 255);
  for (const length of [0, 1, 48, 511, 512, 513, 1_024, 5_400]) {
    for (const start of [0, 7, 600]) {
      const part = all.subarray(start, start + length);
      const digits = Array.from(part, (byte) => byte.toString(16).padStart(2, '0')).join('');
      assert.equal(toHex(part), digits);
    }
  }
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

test('one character that is no digit is noticed in every place of a word and of a long text', () => {
  const long = 'c0ffee19'.repeat(3_000);
  for (let code = 0; code < 0x180; code++) {
    const character = String.fromCharCode(code);
    const isDigit = /[0-9a-f]/.test(character);
    for (let place = 0; place < 6; place++) {
      const text = `${'0a9f5d'.slice(0, place)}${character}${'0a9f5d'.slice(place + 1)}`;
      if (isDigit) assert.equal(toHex(fromHex(text)), text);
      else refused('bad_hex', () => fromHex(text));
    }
  }
  for (const place of [0, 8_190, 8_191, 8_192, 8_193, 16_384, long.length - 1]) {
    const text = `${long.slice(0, place)}g${long.slice(place + 1)}`;
    refused('bad_hex', () => fromHex(text));
  }
  for (const length of [8_190, 8_192, 8_194, 16_386, long.length])
    assert.equal(toHex(fromHex(long.slice(0, length))), long.slice(0, length));
});

test('the conversion of the engine, which browsers use for long texts, takes exactly what ours takes', () => {
  const oursOf = (text: string): Uint8Array | undefined => {
    try {
      return fromHex(text);
    } catch {
      return undefined;
    }
  };
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), maxLength: 300 });
  const texts = fc.oneof(
    digits,
    fc.tuple(digits, fc.string(), digits).map((parts) => parts.join('')),
  );
  fc.assert(fc.property(texts, (text) => assert.deepEqual(decodeNatively(text), oursOf(text))));
  for (let code = 0; code < 0x180; code++) {
    const text = `0${String.fromCharCode(code)}`;
    assert.deepEqual(decodeNatively(text), oursOf(text));
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

test('what passes is a plain view of the same memory, so that its slice is a copy', () => {
  const given = Buffer.from([1, 2, 3]);
  const bytes = expectBytes(given, 'x', 3);
  const copy = bytes.slice();
  given.fill(9);
  assert.equal(Object.getPrototypeOf(bytes), Uint8Array.prototype);
  assert.deepEqual([...bytes], [9, 9, 9]);
  assert.deepEqual([...copy], [1, 2, 3]);
});

test('an array is known by what it is, not by what it says', () => {
  class Lying extends Uint8Array {
    override get length(): number {
      return 48;
    }
  }
  assert.equal(expectBytes(new Lying(3), 'x').length, 3);
  refused('bad_length', () => expectBytes(new Lying(3), 'x', 48));
  const { proxy, revoke } = Proxy.revocable(new Uint8Array(48), {});
  refused('bad_type', () => expectBytes(proxy, 'x', 48));
  revoke();
  refused('bad_type', () => expectBytes(proxy, 'x', 48));
  refused('bad_type', () => expectBytes(Object.create(Uint8Array.prototype), 'x'));
  refused('bad_type', () => expectBytes(new Uint8ClampedArray(48), 'x', 48));
});

test('bytes whose buffer was transferred away are not taken for no bytes', () => {
  const bytes = new Uint8Array(48);
  structuredClone(bytes, { transfer: [bytes.buffer] });
  refused('bad_type', () => expectBytes(bytes, 'x'));
  assert.equal(expectBytes(new Uint8Array(0), 'x', 0).length, 0);
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
