import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as metaSchemas from '@open-rpc/meta-schema';
import { Ajv } from 'ajv';
import { Compile } from 'typebox/compile';
import { METHOD_LIST, METHODS, type MethodName } from './methods.ts';
import { openRpcDocument } from './open-rpc.ts';
import { METHOD_SCOPES } from './scopes.ts';

test('the description is a valid OpenRPC document of every method', () => {
  const document = openRpcDocument('1.2.3') as { methods: { name: string }[] };
  const { openrpcDocument } = metaSchemas as unknown as { openrpcDocument: object };
  const renamed = JSON.stringify({ ...openrpcDocument, $schema: undefined }).replaceAll(
    /https:\/\/meta\.json-schema\.tools\/?/g,
    'https://schema.example/draft',
  );
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema({
    $id: 'https://schema.example/draft',
    $ref: 'http://json-schema.org/draft-07/schema#',
    definitions: { JSONSchemaObject: { properties: { $ref: { type: 'string' } } } },
  });
  const isValid = ajv.validate(JSON.parse(renamed) as object, document);
  assert.ok(isValid, ajv.errorsText());
  assert.deepEqual(
    document.methods.map(({ name }) => name),
    Object.keys(METHODS),
  );
});

test('every example keeps to the schemas of its method', () => {
  for (const { name, params, result, example } of METHOD_LIST) {
    for (const [schema, value] of [
      [params, example.params],
      [result, example.result],
    ] as const) {
      const validator = Compile(schema);
      assert.ok(validator.Check(value), `${name}: ${JSON.stringify(validator.Errors(value)[0])}`);
    }
  }
});

test('the table has the methods of each group', () => {
  const specified: Record<string, string> = {
    wallet: 'status balance pending rescan',
    addresses: 'new_address receive addresses set_label validate_address',
    incoming: 'received incoming outputs history transaction',
    outgoing: 'send send_many sweep burn compound',
    staking: 'validators positions stake unstake withdraw',
    ownership: 'proof_request prove_address verify_address_proof',
    events: 'subscribe unsubscribe',
  };
  for (const [group, names] of Object.entries(specified)) {
    const found = METHOD_LIST.filter((method) => method.group === group && !method.extension);
    assert.deepEqual(
      found.map(({ name }) => name),
      names.split(' '),
    );
  }
});

test('what moves money needs a scope that spends', () => {
  const moving = METHOD_LIST.filter(
    ({ result }) => 'submitted' in ((result as { properties?: object }).properties ?? {}),
  );
  assert.ok(moving.length > 10);
  for (const { name } of moving) {
    const scope = METHOD_SCOPES[name as MethodName];
    assert.ok(scope === 'spend' || scope === 'everything', `${name}: ${scope}`);
  }
  assert.deepEqual(Object.keys(METHOD_SCOPES).toSorted(), Object.keys(METHODS).toSorted());
});
