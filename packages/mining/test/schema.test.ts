import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { encodeLine, lineSchema } from 'svc-mining';
import { anyMessage } from './samples.ts';

const FILE = new URL('../../../docs/reference/mining-v1.schema.json', import.meta.url);
const validate = new Ajv2020({ strict: false }).compile(lineSchema());

test('the published schema is the one that the table of messages makes', () => {
  assert.deepEqual(
    JSON.parse(readFileSync(FILE, 'utf8')),
    JSON.parse(JSON.stringify(lineSchema())),
  );
});

test('every line that can be written fits the schema', () => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      assert.ok(validate(JSON.parse(encodeLine(message))), JSON.stringify(validate.errors));
    }),
  );
});

test('lines that are refused do not fit it', () => {
  for (const line of [
    '{"id":1,"method":"mining.steal","params":{}}',
    '{"id":1,"method":"mining.submit","params":{"job_id":"1","nonce_hex":"00"}}',
    '{"id":-1,"method":"mining.authorize","params":{"username":"a.b"}}',
    '{"id":1,"method":"mining.authorize","params":{"username":"a.b","extra":1}}',
  ])
    assert.equal(validate(JSON.parse(line)), false, line);
});
