import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AjvCompiler } from '@fastify/ajv-compiler';
import fc from 'fast-check';
import { VALIDATOR_OPTIONS } from './schema-validators.ts';
import { hasAtLeast, hasAtMost } from './text-lengths.ts';

const NAME = { type: 'string', minLength: 2, maxLength: 3 };
/** Letters of one unit, of two, and halves that stand alone. */
const text = fc.string({
  unit: fc.constantFrom('a', '\u00e9', '\u{1f600}', '\ud83d', '\ude00'),
  maxLength: 12,
});

test('characters are counted as a schema counts them, whatever the text is made of', () => {
  fc.assert(
    fc.property(text, fc.nat(14), (some, limit) => {
      const characters = Array.from(some).length;
      assert.equal(hasAtLeast(some, limit), characters >= limit);
      assert.equal(hasAtMost(some, limit), characters <= limit);
    }),
  );
});

test('a text that is too short or too long is refused in the words of the validator', () => {
  const { customOptions } = VALIDATOR_OPTIONS;
  const schema = { type: 'object', properties: { name: NAME } };
  const validators = [VALIDATOR_OPTIONS, { customOptions }].map((options) =>
    AjvCompiler()({}, options)({ schema }),
  );
  for (const name of [
    '',
    'a',
    '\u{1f600}',
    '\u{1f600}a',
    'abc',
    '\u{1f600}'.repeat(4),
    'abcd',
    5,
  ]) {
    const [ours, theirs] = validators.map((validate) => [
      validate({ name }),
      (validate.errors ?? []).map(({ instancePath, keyword, message, params }) => ({
        ...{ instancePath, keyword, message, params },
      })),
    ]);
    assert.deepEqual(ours, theirs, String(name));
  }
});
