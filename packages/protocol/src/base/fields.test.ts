import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { expectArray, Fields, parseDecimal, U64_MAX } from './fields.ts';
import { kindOf } from './kind-of.ts';
import { SvcError } from './svc-error.ts';

function refused(code: string, path: string | undefined, call: () => unknown): void {
  assert.throws(call, (error) => {
    assert.ok(error instanceof SvcError, String(error));
    assert.equal(error.code, code);
    assert.equal(error.path, path);
    return true;
  });
}

test('decimal strings are canonical: every other way to write a number is refused', () => {
  const bad = [
    '',
    ' 1',
    '1 ',
    '+1',
    '-1',
    '-0',
    '01',
    '00',
    '0x1f',
    '1e3',
    '1.0',
    '1n',
    '１',
    '1\n',
    '9'.repeat(21),
  ];
  for (const text of bad) {
    refused('bad_integer', 'amount', () => parseDecimal(text, 'amount', { max: U64_MAX }));
  }
  for (const value of [1, 1n, null, undefined, [], {}, true]) {
    refused('bad_type', 'amount', () => parseDecimal(value, 'amount', { max: U64_MAX }));
  }
});

test('a decimal string is read exactly and within its range', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: U64_MAX }), (value) => {
      assert.equal(parseDecimal(String(value), '', { max: U64_MAX }), value);
    }),
  );
  refused('out_of_range', 'a', () => parseDecimal(String(U64_MAX + 1n), 'a', { max: U64_MAX }));
  refused('out_of_range', 'a', () => parseDecimal('0', 'a', { min: 1n, max: 5n }));
  refused('out_of_range', 'a', () => parseDecimal('6', 'a', { min: 1n, max: 5n }));
});

test('fields are read by name and type, with the path of the one at fault', () => {
  const text = '{"s":"text","h":"00ff","n":"7","l":[1,2],"o":{"x":"y"}}';
  const fields = Fields.parse(text, 'body', ['s', 'h', 'n', 'l', 'o', 'absent']);
  assert.equal(fields.string('s'), 'text');
  assert.deepEqual(fields.hex('h', 2), Uint8Array.of(0, 255));
  assert.equal(fields.decimal('n', { max: 7n }), 7n);
  assert.deepEqual(fields.array('l', 2), [1, 2]);
  assert.equal(fields.fields('o', ['x']).string('x'), 'y');
  assert.equal(fields.has('s'), true);
  assert.equal(fields.has('absent'), false);
  refused('missing_field', 'body.absent', () => fields.string('absent'));
  refused('bad_type', 'body.l', () => fields.string('l'));
  refused('bad_length', 'body.s', () => fields.string('s', 3));
  refused('bad_hex', 'body.h', () => fields.hex('h', 3));
  refused('bad_hex', 'body.s', () => fields.hex('s'));
  refused('bad_length', 'body.l', () => fields.array('l', 1));
  refused('bad_type', 'body.s', () => fields.array('s', 1));
  refused('unknown_field', 'body.o.x', () => fields.fields('o', ['y']));
  refused('bad_type', 'body.s', () => fields.fields('s', []));
});

test('a document with a field it does not have is refused', () => {
  refused('unknown_field', 'b', () => Fields.parse('{"a":1,"b":2}', '', ['a']));
  refused('unknown_field', '__proto__', () => Fields.parse('{"__proto__":{"a":1}}', '', ['a']));
  refused('missing_field', 'constructor', () =>
    Fields.parse('{}', '', ['constructor']).value('constructor'),
  );
});

test('only an object has fields', () => {
  for (const text of ['null', '[]', '7', '"a"', 'true']) {
    refused('bad_type', 'request', () => Fields.parse(text, 'request', []));
  }
  refused('bad_type', 'x', () => new Fields(undefined, 'x', []));
});

test('an array is an array', () => {
  refused('bad_type', 'x', () => expectArray({}, 'x', 1));
  assert.deepEqual(expectArray([], 'x', 0), []);
});

test('kinds are named in words', () => {
  assert.deepEqual([null, undefined, [], {}, 'a', 7].map(kindOf), [
    'null',
    'nothing',
    'an array',
    'an object',
    'a string',
    'a number',
  ]);
});
