import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hasControlCharacter, isHexText } from './text-scan.ts';

/** Texts of up to three pieces, with one character somewhere. */
const texts = fc
  .tuple(fc.nat(9_000), fc.nat(9_000), fc.integer({ min: 0, max: 0xffff }), fc.nat(2))
  .map(([length, at, code, extra]) => {
    const plain = '0123456789abcdef'.repeat(600).slice(0, length);
    const place = Math.min(at, length);
    return plain.slice(0, place) + String.fromCharCode(code).repeat(extra) + plain.slice(place);
  });

test('a text is hexadecimal, and has control characters, exactly where a regular expression says so', () => {
  fc.assert(
    fc.property(texts, (text) => {
      assert.equal(isHexText(text), /^[0-9a-f]*$/.test(text));
      assert.equal(hasControlCharacter(text), /[^ -\uffff]/.test(text));
    }),
  );
});

test('every character is judged right, at every place of a word', () => {
  for (let code = 0; code <= 0x17f; code++) {
    for (const before of ['', 'a', 'ab', 'abc', 'abcd']) {
      for (const after of ['', 'f', '0123']) {
        const text = before + String.fromCharCode(code) + after;
        assert.equal(isHexText(text), /^[0-9a-f]*$/.test(text), text);
        assert.equal(hasControlCharacter(text), code < 0x20, text);
      }
    }
  }
});
