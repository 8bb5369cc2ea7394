import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINING_ROUTES, ROUTES } from 'svc-api';
import { ACTIONS } from '../dev/control/actions.ts';
import { compileWhenAsked } from './schema-validators.ts';

/** A part of a route as Fastify hands it to the compiler. */
const validatorOf = (schema: object) =>
  compileWhenAsked({ schema, method: 'POST', url: '/', httpPart: 'body' });

interface RouteParts {
  readonly summary: string;
  readonly params?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
}

function requestSchemas(): object[] {
  const routes: readonly RouteParts[] = [...Object.values(ROUTES), ...MINING_ROUTES, ...ACTIONS];
  return routes
    .flatMap(({ params, query, body }) => [params, query, body])
    .filter((schema) => schema !== undefined);
}

test('the schema of every request can be compiled, and refuses what is none', () => {
  const schemas = requestSchemas();
  assert.ok(schemas.length > 20);
  for (const schema of schemas) {
    const validate = validatorOf(schema);
    assert.equal(validate('no such request'), false);
    assert.equal(validate.errors?.length, 1);
  }
});

test('a schema is compiled with the first request, and tells of the last one what is wrong', () => {
  let reads = 0;
  const schema = {
    get type() {
      reads += 1;
      return 'string';
    },
  };
  const validate = validatorOf(schema);
  assert.equal(reads, 0);
  assert.equal(validate(5), false);
  const compiling = reads;
  assert.ok(compiling > 0);
  assert.equal(validate.errors?.[0]?.message, 'must be string');
  assert.equal(validate('text'), true);
  assert.equal(validate.errors, null);
  assert.equal(reads, compiling);
});
