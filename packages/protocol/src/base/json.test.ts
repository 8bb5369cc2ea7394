import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJson } from './json.ts';
import { SvcError } from './svc-error.ts';

function refused(text: string): void {
  assert.throws(
    () => parseJson(text, 'request'),
    (error) => error instanceof SvcError && error.code === 'bad_json' && error.path === 'request',
    JSON.stringify(text.slice(0, 80)),
  );
}

const integers = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
const character = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));
const texts = fc.string({ unit: character });
const { document } = fc.letrec((tie) => ({
  document: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    integers,
    texts,
    fc.array(tie('document'), { maxLength: 5 }),
    fc.dictionary(texts, tie('document'), { maxKeys: 5, noNullPrototype: false }),
  ),
}));

test('every document of safe integers reads back as the built-in reader would', () => {
  fc.assert(
    fc.property(document, fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      assert.equal(JSON.stringify(parseJson(text)), JSON.stringify(JSON.parse(text)));
    }),
  );
});

test('any text is read or refused with SvcError', () => {
  const noise = fc.string({
    unit: fc.constantFrom(...'{}[]",:\\/u0123456789-+.eEtrufalsn \n\t\u0000'.split('')),
  });
  fc.assert(
    fc.property(noise, (text) => {
      try {
        const value = parseJson(text);
        assert.deepEqual(JSON.parse(JSON.stringify(value)), JSON.parse(text));
      } catch (error) {
        assert.ok(error instanceof SvcError);
      }
    }),
    { numRuns: 1000 },
  );
});

test('nesting is limited to 32, and a hundred thousand levels cost nothing', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  assert.ok(Array.isArray(parseJson(nested(33))));
  refused(nested(34));
  refused(nested(100_000));
  refused('['.repeat(100_000));
  refused('{"a":'.repeat(100_000));
});

test('a document of more than a mebibyte of characters is refused before it is read', () => {
  const padded = (length: number): string => `"${'a'.repeat(length - 2)}"`;
  assert.equal((parseJson(padded(1 << 20)) as string).length, (1 << 20) - 2);
  refused(padded((1 << 20) + 1));
});

test('duplicate keys are refused, also when they are written differently', () => {
  refused('{"a":1,"a":1}');
  refused('{"a":1,"b":2,"\\u0061":1}');
  refused('{"__proto__":1,"__proto__":2}');
});

test('keys that JavaScript treats specially are plain keys', () => {
  for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '0']) {
    const object = parseJson(`{"${key}":{"admin":true}}`) as Record<string, unknown>;
    assert.equal(Object.getPrototypeOf(object), null);
    assert.deepEqual(Object.keys(object), [key]);
    assert.equal(object['admin'], undefined);
  }
  assert.equal(({} as Record<string, unknown>)['admin'], undefined);
});

test('numbers that are no canonical safe integer are refused', () => {
  const numbers = '-0 1e309 1e3 1E3 1.0 0.5 .5 5. 01 -01 +1 - -- 0x10 NaN Infinity -Infinity 1_000';
  for (const text of numbers.split(' ')) refused(text);
  for (const text of ['9007199254740992', '-9007199254740992', '9'.repeat(20)]) refused(text);
  assert.equal(parseJson('9007199254740991'), Number.MAX_SAFE_INTEGER);
  assert.equal(parseJson('-9007199254740991'), Number.MIN_SAFE_INTEGER);
  assert.equal(parseJson('0'), 0);
});

test('strings with control characters, bad escapes or lone surrogates are refused', () => {
  const table = [
    '"\u0000"',
    '"\n"',
    '"\t"',
    '"\u001f"',
    '"\\u0"',
    '"\\u00g0"',
    '"\\x41"',
    '"\\',
    '"\\"',
    '"abc',
    "'abc'",
    '"\\ud800"',
    '"\\udc00"',
    '"\\udc00\\ud800"',
    '"\ud800"',
    '{"\\ud800":1}',
  ];
  for (const text of table) refused(text);
});

test('escapes, escaped pairs and characters above the control range are read', () => {
  assert.equal(parseJson('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000"'), '"\\/\b\f\n\r\t\u0000');
  assert.equal(parseJson('"\\ud83d\\ude00"'), '\u{1f600}');
  assert.equal(
    parseJson('" !#[]~\u007f\u0080\u2028\uffff\u{1f600}"'),
    ' !#[]~\u007f\u0080\u2028\uffff\u{1f600}',
  );
});

test('texts that other readers let pass are refused', () => {
  const table = [
    '',
    ' ',
    '\ufeff{}',
    '\u00a0{}',
    '\u000b{}',
    '{}\u0000',
    '\u0000{}',
    '{},',
    '{}{}',
    '[1,]',
    '[,1]',
    '[1 2]',
    '{"a":1,}',
    '{,}',
    '{a:1}',
    '{"a" 1}',
    '{"a":}',
    '{1:1}',
    '[1}',
    '/**/{}',
    '{} //',
    'undefined',
    'True',
    'nul',
    'truefalse',
  ];
  for (const text of table) refused(text);
});

test('values that are no text are refused with bad_type', () => {
  for (const value of [undefined, null, 7, {}, [], new String('{}')]) {
    assert.throws(
      () => parseJson(value as string),
      (error) => error instanceof SvcError && error.code === 'bad_type',
    );
  }
});
