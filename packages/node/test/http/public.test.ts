/** The public API: what a node offers to its own machine, offered to everybody under a name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTE_LIST } from 'svc-api';
import { exampleRequest } from './testing/example-requests.ts';
import { errorOf, HttpNode } from './testing/http-node.ts';
import { story } from './testing/story.ts';

const NAME = 'api.example';

test('[SVC-03] a public API gives the same answers on every route, under the name of its operator', async (t) => {
  const told = await story();
  const own = await HttpNode.start(t, {}, told.services);
  const open = await HttpNode.start(
    t,
    { profile: 'public', publicNames: [NAME], trustedProxies: ['127.0.0.1'] },
    told.services,
  );
  for (const [index, route] of ROUTE_LIST.entries()) {
    const { target, ...options } = exampleRequest(route, told);
    const headers = { host: NAME, 'x-forwarded-for': `203.0.113.${index}` };
    const expected = await own.send(target, options);
    const received = await open.send(target, { ...options, headers });
    assert.equal(expected.status, 200, `${target}: ${expected.text}`);
    assert.deepEqual([received.status, received.text], [200, expected.text], target);
  }
  const other = await open.get('/v1/chain/head', { host: 'other.example' });
  assert.deepEqual([other.status, errorOf(other).code], [403, 'host_not_allowed']);
});

test('[CONV-01] [CONV-02] every document of every route is JSON of version 1, and typed as that', async (t) => {
  const told = await story();
  const node = await HttpNode.start(t, {}, told.services);
  const descriptions = ['/openapi.json', '/asyncapi.json'];
  for (const route of ROUTE_LIST.filter(({ media }) => media === 'application/json')) {
    const { target, ...options } = exampleRequest(route, told);
    const { text, headers } = await node.send(target, options);
    assert.equal(headers['content-type'], 'application/json; charset=utf-8', target);
    const { api_version } = JSON.parse(text) as { api_version?: unknown };
    if (!descriptions.includes(route.path)) assert.equal(api_version, 1, target);
  }
});
