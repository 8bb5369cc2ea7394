/** The route table against the specification, and the documents made from it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TObject } from 'typebox';
import {
  ERROR_CATALOGUE,
  llmsText,
  Millis,
  openapiDocument,
  ROUTE_LIST,
  ROUTES,
  routeErrors,
  SERVER_FRAMES,
} from '../src/index.ts';

const SPECIFIED = `
GET /
GET /health
GET /v1/address/{address}/balance
GET /v1/address/{address}/utxos
GET /v1/address/{address}/history
GET /v1/cuts
GET /v1/cuts/{height}/transactions
GET /v1/cuts/{height}/changes
GET /v1/transactions/recent
GET /v1/blocks/recent
POST /v1/address/balances
POST /v1/address/utxos
POST /v1/address/changes
POST /v1/mempool/pending
POST /v1/staking/positions
POST /v1/keys/registered
POST /v1/transactions/status
POST /v1/proofs/utxos
POST /v1/transactions
GET /v1/transactions/manifest
GET /v1/transactions/{id}/status
GET /v1/blocks/{id}
GET /v1/chain/head
GET /v1/chain/rates
GET /v1/mempool
GET /v1/node/identity
GET /v1/node/sync
GET /v1/node/status
GET /v1/economics/supply
GET /v1/economics/emission
GET /v1/economics/estimate/staking`
  .trim()
  .split('\n');

test('the routes that are no extensions are those of the specification', () => {
  const own = ROUTE_LIST.filter(({ extension }) => !extension);
  assert.deepEqual(own.map(({ method, path }) => `${method} ${path}`).sort(), SPECIFIED.toSorted());
});

test('[CONV-01] routes start with /v1/ except the root, health, readiness and descriptions', () => {
  const others = ROUTE_LIST.filter(({ path }) => !path.startsWith('/v1/')).map(({ path }) => path);
  assert.deepEqual(others, [
    '/',
    '/health',
    '/ready',
    '/openapi.json',
    '/asyncapi.json',
    '/llms.txt',
    '/llms-full.txt',
  ]);
});

test('every route has its own name, path and method, and parameters as its path says', () => {
  const keys = ROUTE_LIST.map(({ method, path }) => `${method} ${path}`);
  assert.equal(new Set(keys).size, keys.length);
  for (const [name, route] of Object.entries(ROUTES)) assert.equal(route.name, name);
  for (const { path, params, name } of ROUTE_LIST) {
    const inPath = [...path.matchAll(/\{([a-z]+)\}/g)].map(([, parameter]) => parameter);
    assert.deepEqual(Object.keys(params?.properties ?? {}), inPath, name);
  }
});

test('requests are strict: no schema of one allows a field that it does not name', () => {
  const open: string[] = [];
  const visit = (schema: unknown, where: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { type, additionalProperties } = schema as Record<string, unknown>;
    if (type === 'object' && additionalProperties !== false) open.push(where);
    for (const [key, value] of Object.entries(schema)) visit(value, `${where}.${key}`);
  };
  for (const { name, params, query, body } of ROUTE_LIST) visit({ params, query, body }, name);
  assert.deepEqual(open, []);
});

function propertyOf(schema: TObject | undefined, name: string): Readonly<Record<string, unknown>> {
  return (schema?.properties[name] ?? {}) as unknown as Readonly<Record<string, unknown>>;
}

const { description: TIME } = Millis as { description?: string };

test('[CONV-06] what holds a time is called so, in every document and frame', () => {
  const wrong: string[] = [];
  const visit = (schema: unknown, where: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { description } = schema as { description?: string };
    if (description === TIME && !/_millis(?:\.anyOf\.[0-9])?$/.test(where)) wrong.push(where);
    for (const [key, value] of Object.entries(schema)) visit(value, `${where}.${key}`);
  };
  for (const { name, answer } of ROUTE_LIST) visit(answer, name);
  visit(SERVER_FRAMES, 'frames');
  assert.deepEqual(wrong, []);
});

test('pages and batches in the table are those in the schemas', () => {
  for (const { name, page, batch, query, body } of ROUTE_LIST) {
    if (page !== undefined) {
      assert.equal(propertyOf(query ?? body, 'limit')['maximum'], page.maximum, name);
      assert.ok(page.default <= page.maximum, name);
    }
    if (batch !== undefined) {
      assert.equal(propertyOf(body, batch.field)['maxItems'], batch.maximum, name);
    }
  }
});

test('the OpenAPI document has an operation for each route, and every reference leads somewhere', () => {
  const document = JSON.parse(JSON.stringify(openapiDocument(ROUTE_LIST, { version: '1.2.3' })));
  assert.equal(document.openapi, '3.1.0');
  assert.equal(document.info.version, '1.2.3');
  for (const route of ROUTE_LIST) {
    const operation = document.paths[route.path][route.method.toLowerCase()];
    assert.equal(operation.operationId, route.name);
    assert.equal(operation.requestBody !== undefined, route.body !== undefined);
    const { bytes } = route;
    if (bytes !== undefined) {
      const { description } = operation.requestBody.content[bytes.media].schema;
      assert.equal(description, bytes.description);
    }
    const names = operation.parameters
      .filter(({ in: place }: { in: string }) => place === 'path')
      .map(({ name }: { name: string }) => name);
    assert.deepEqual(names, Object.keys(route.params?.properties ?? {}));
    assert.ok(operation.responses['200'].content[route.media]);
    for (const code of routeErrors(route))
      assert.ok(operation.responses[String(ERROR_CATALOGUE[code].status)], `${route.name} ${code}`);
    assert.ok(operation.responses['429']);
  }
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)];
  assert.ok(references.length > 0);
  for (const [, reference = ''] of references) {
    const found = reference.split('/').reduce((at, key) => at?.[key], document);
    assert.ok(found !== undefined, reference);
  }
});

test('the text for language models names every route and error', () => {
  const text = llmsText(ROUTE_LIST);
  for (const { path, method } of ROUTE_LIST)
    assert.ok(text.includes(`\`${method} ${path}\``), path);
  for (const code of Object.keys(ERROR_CATALOGUE)) assert.ok(text.includes(`\`${code}\``), code);
});
