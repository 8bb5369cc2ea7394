import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeHex } from './write-hex.ts';

function written(hex: string, at: number): string {
  const memory = new Uint8Array(at + hex.length / 2 + 1);
  writeHex(hex, memory, at);
  return Buffer.from(memory).toString('hex');
}

test('the digits of a text become its bytes, at their place alone', () => {
  const bytes = fc.uint8Array({ maxLength: 5_000, size: 'max' });
  fc.assert(
    fc.property(bytes, fc.nat(9), fc.boolean(), (value, at, isUpper) => {
      const hex = Buffer.from(value).toString('hex');
      const text = isUpper ? hex.toUpperCase() : hex;
      assert.equal(written(text, at), `${'00'.repeat(at)}${hex}00`);
    }),
  );
});

test('a text that is not all digits, has an odd length or does not fit is refused', () => {
  const refused = /not the bytes that are expected/;
  const long = '0'.repeat(4_095);
  const wrong = ['0', 'abc', '0g', 'g0', '/0', '0:', '@a', 'é0', '0é', '\u0130a', '😀'];
  for (const text of [...wrong, `${long}é`, `${long}€`, `${long}0éa`])
    assert.throws(() => writeHex(text, new Uint8Array(9_000), 0), refused, text.slice(0, 9));
  assert.throws(() => writeHex('0000', new Uint8Array(1), 0), refused);
  assert.throws(() => writeHex('0000', new Uint8Array(2), 1), refused);
});
