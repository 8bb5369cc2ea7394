import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson } from './record.ts';

test('equal parameters have one text, whatever the order of their fields', () => {
  const text = '{"a":[{"amount":"12","to":"x"},null,true],"b":{"c":1,"d":"\\"é"}}';
  assert.equal(canonicalJson(JSON.parse(text)), text);
  const other = { b: { d: '"é', c: 1, e: undefined }, a: [{ to: 'x', amount: 12n }, null, true] };
  assert.equal(canonicalJson(other), text);
  assert.equal(canonicalJson({}), '{}');
  assert.equal(
    canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}')),
    '{"__proto__":{"a":2},"b":1}',
  );
});
