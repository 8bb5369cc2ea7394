import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AjvCompiler } from '@fastify/ajv-compiler';
import { VALIDATOR_OPTIONS } from './schema-validators.ts';

test('a text that does not match is refused in the words of the validator, hexadecimal and other', () => {
  const { customOptions } = VALIDATOR_OPTIONS;
  for (const pattern of ['^[0-9a-f]*$', '^[0-9]+$', '^.$']) {
    const schema = { type: 'object', properties: { name: { type: 'string', pattern } } };
    const validators = [VALIDATOR_OPTIONS, { customOptions }].map((options) =>
      AjvCompiler()({}, options)({ schema }),
    );
    const names = ['', '0', 'ab', 'AB', 'abg', 'ab\n', '\u{1f600}', '\u00e9', 'f'.repeat(9_001), 5];
    for (const name of names) {
      const [ours, theirs] = validators.map((validate) => [
        validate({ name }),
        (validate.errors ?? []).map(({ instancePath, keyword, message, params }) => ({
          ...{ instancePath, keyword, message, params },
        })),
      ]);
      assert.deepEqual(ours, theirs, `${pattern} of ${name}`);
    }
  }
});
