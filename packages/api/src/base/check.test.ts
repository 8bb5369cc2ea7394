import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { CLIENT_FRAMES, MINING_ROUTES, ROUTE_LIST } from '../index.ts';
import { faultOf } from './check.ts';
import { batchOf, strict, versioned } from './request.ts';

interface RequestParts {
  readonly summary?: string;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
}

const SCHEMA = versioned({
  names: batchOf(Type.String({ pattern: '^[0-9a-f]*$' }), 3),
  inner: Type.Optional(strict({ count: Type.Integer({ minimum: 1, maximum: 5 }) })),
});

test('the schema of every request compiles, and refuses what is none', () => {
  const parts: readonly RequestParts[] = [
    ...ROUTE_LIST,
    ...MINING_ROUTES,
    ...Object.values(CLIENT_FRAMES).map((body) => ({ body })),
  ];
  const schemas = parts.flatMap(({ params, query, body }) => [params, query, body]);
  for (const schema of schemas) {
    if (schema === undefined) continue;
    assert.deepEqual([faultOf(schema, 'no such request')?.code], ['bad_type']);
  }
});

test('the first fault is named with its code and path', () => {
  const good = { api_version: 1, names: ['ab'] };
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x${index}`, index]));
  const cases: readonly (readonly [unknown, string, string])[] = [
    [{ names: [] }, 'missing_field', 'api_version'],
    [{ ...good, api_version: 2 }, 'unsupported_version', 'api_version'],
    [{ ...good, more: 1 }, 'unknown_field', 'more'],
    [{ ...good, 'a/b~c': 1 }, 'unknown_field', 'a/b~c'],
    [{ ...good, ['q'.repeat(80)]: 1 }, 'unknown_field', `${'q'.repeat(64)}…`],
    [{ ...many, ...good }, 'unknown_field', 'x0'],
    [{ ...good, names: [] }, 'too_few_items', 'names'],
    [{ ...good, names: ['ab', 'x'] }, 'bad_hex', 'names[1]'],
    [{ ...good, names: Array.from({ length: 20 }, () => 'x') }, 'too_many_items', 'names'],
    [{ ...good, inner: {} }, 'missing_field', 'inner.count'],
    [{ ...good, inner: { count: 6 } }, 'out_of_range', 'inner.count'],
    [{ ...good, inner: { count: 1, more: 1 } }, 'unknown_field', 'inner.more'],
  ];
  assert.equal(faultOf(SCHEMA, good), undefined);
  for (const [value, code, path] of cases) {
    const fault = faultOf(SCHEMA, value);
    assert.deepEqual([fault?.code, fault?.path], [code, path]);
  }
});
