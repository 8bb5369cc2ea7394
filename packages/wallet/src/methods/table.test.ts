import assert from 'node:assert/strict';
import { test } from 'node:test';
import { METHOD_LIST, METHODS, type MethodName } from 'svc-api/rpc';
import { METHOD_TABLE, makerOf } from './table.ts';

const rows = METHOD_LIST.map(
  ({ name }) => [name as MethodName, METHOD_TABLE[name as MethodName]] as const,
);

test('the journal finds makers of paying methods, and of no others', () => {
  for (const [name, { maker }] of rows) {
    const contract = METHODS[name];
    const isPaying = 'submitted' in ((contract.result as { properties?: object }).properties ?? {});
    assert.equal(maker !== null, isPaying, name);
    if (isPaying) assert.equal(typeof makerOf(name, {}), 'function');
    else assert.throws(() => makerOf(name, {}), RangeError);
  }
  assert.throws(() => makerOf('toString', {}), RangeError);
});
