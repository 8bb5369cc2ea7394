import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectInteger } from './integer.ts';

test('integers within the bounds pass, and minus zero becomes zero', () => {
  for (const value of [-2, 0, 7]) assert.equal(expectInteger(value, 'x', -2, 7), value);
  assert.ok(Object.is(expectInteger(-0, 'x', 0, 1), 0));
});

test('everything else is refused by type or by range', () => {
  for (const value of [-3, 8, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => expectInteger(value, 'x', -2, 7), { code: 'out_of_range', path: 'x' });
  }
  for (const value of ['0', 0n, true, null, undefined, [0], Object(1), Symbol('1')]) {
    assert.throws(() => expectInteger(value, 'x', 0, 7), { code: 'bad_type', path: 'x' });
  }
});
