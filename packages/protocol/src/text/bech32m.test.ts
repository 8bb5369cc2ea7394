import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bech32m } from '@scure/base';
import fc from 'fast-check';
import { decodeBech32m, encodeBech32m } from './bech32m.ts';

const LENGTH_MAX = 90;

const anyPrefix = fc
  .array(fc.integer({ min: 33, max: 126 }), { minLength: 1, maxLength: 20 })
  .map((codes) => String.fromCharCode(...codes).toLowerCase());
const anySymbols = fc.uint8Array({ max: 31, maxLength: 60 });

/** What another implementation reads in a text. */
function otherReading(text: string) {
  const read = text === text.toLowerCase() ? bech32m.decodeUnsafe(text, LENGTH_MAX) : undefined;
  return read && { prefix: read.prefix, symbols: Uint8Array.from(read.words) };
}

test('texts are those of another implementation, and are read back', () => {
  fc.assert(
    fc.property(anyPrefix, anySymbols, (prefix, symbols) => {
      const text = encodeBech32m(prefix, symbols);
      assert.equal(text, bech32m.encode(prefix, [...symbols], LENGTH_MAX));
      assert.deepEqual(decodeBech32m(text), { prefix, symbols });
    }),
  );
});

test('a text with changed characters is read as another implementation reads it', () => {
  const change = fc.tuple(fc.nat(), fc.constantFrom(...'1bioqp zA~\u00e9\u0100\ud83d'));
  fc.assert(
    fc.property(
      anyPrefix,
      anySymbols,
      fc.array(change, { maxLength: 3 }),
      (prefix, symbols, changes) => {
        let text = encodeBech32m(prefix, symbols);
        for (const [place, character] of changes) {
          const at = place % text.length;
          text = text.slice(0, at) + character + text.slice(at + 1);
        }
        assert.deepEqual(decodeBech32m(text), otherReading(text));
      },
    ),
  );
});

test('texts without a prefix, a separator or room for a checksum are none', () => {
  for (const text of ['', '1', 'q', '1qqqqqq', 'a1', 'a1qqqqq', 'qqqqqqqq', '\u00001qqqqqq']) {
    assert.equal(decodeBech32m(text), undefined, text);
  }
});
