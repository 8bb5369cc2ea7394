/** The first page, and what describes the interface to programs. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { suite, test } from 'node:test';
import { ROUTE_LIST, ROUTES } from 'svc-api';
import { errorOf } from './testing/http-node.ts';
import { useStoryNode } from './testing/story-node.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

suite('the first page', () => {
  const use = useStoryNode();

  test('[HTTP-01] [CONV-07] [AUTH-01] every route is listed, without a key', async () => {
    const { routes, sockets } = await use.node.call(ROUTES.root);
    assert.deepEqual(
      routes.map(({ method, path, extension }) => [method, path, extension]),
      ROUTE_LIST.map(({ method, path, extension }) => [method, path, extension]),
    );
    const cuts = routes.find(({ path }) => path === '/v1/cuts');
    assert.deepEqual(cuts?.limits, { default_page: 20, maximum_page: 100 });
    assert.deepEqual(
      cuts?.parameters.map(({ name, in: place }) => [name, place]),
      [
        ['before', 'query'],
        ['limit', 'query'],
      ],
    );
    assert.deepEqual(
      sockets.map(({ subprotocol }) => subprotocol),
      ['svc.node-events.v1', 'svc.node-api.v1', 'svc.transaction-status.v1'],
    );
  });

  test('[CONV-07] a browser gets a page with the same routes, readable without scripts', async () => {
    const received = await use.node.get('/', { accept: BROWSER });
    assert.equal(received.headers['content-type'], 'text/html; charset=utf-8');
    assert.match(received.headers.vary ?? '', /accept/);
    for (const { path, summary } of ROUTE_LIST) {
      assert.ok(received.text.includes(`>${path}<`), path);
      assert.ok(received.text.includes(summary.split('`')[0] ?? summary), summary);
    }
    assert.doesNotMatch(received.text, /<script|javascript:|\son[a-z]+=|https?:\/\//i);
    const style = /<style>([\s\S]*)<\/style>/.exec(received.text)?.[1] ?? '';
    const policy = String(received.headers['content-security-policy']);
    assert.ok(policy.includes(`style-src 'sha256-${hash('sha256', style, 'base64')}'`));
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
    assert.match(style, /prefers-color-scheme:dark/);
  });

  test('programs and format=json get the list', async () => {
    for (const accept of [
      '*/*',
      'application/json',
      'text/html;q=0.1,application/json',
      'text/html;q=0',
      '',
    ]) {
      const received = await use.node.get('/', { accept });
      assert.match(received.headers['content-type'] ?? '', /^application\/json/, accept);
    }
    const forced = await use.node.get('/?format=json', { accept: BROWSER });
    assert.match(forced.headers['content-type'] ?? '', /^application\/json/);
    assert.equal((await use.node.get('/?format=xml')).status, 400);
  });

  test('[HTTP-02] health is ok', async () => {
    const received = await use.node.get('/health');
    assert.equal(received.text, 'ok');
    assert.equal(received.headers['content-type'], 'text/plain; charset=utf-8');
  });

  test('ready is for load balancers: 200 while the node follows the chain, 503 with the reason while not', async () => {
    const ready = await use.node.get('/ready');
    assert.deepEqual([ready.status, ready.text], [200, 'ready']);
    use.node.services.isSynced = false;
    try {
      const behind = await use.node.get('/ready');
      assert.equal(behind.status, 503);
      assert.equal(errorOf(behind).code, 'not_synced');
      assert.equal(errorOf(behind).message, 'lagging: behind its peers by 7 cuts');
      assert.equal((await use.node.get('/health')).status, 200, 'the process answers all the same');
    } finally {
      use.node.services.isSynced = true;
    }
  });

  test('ready tells what does not keep the node from serving, and is 200 all the same', async () => {
    const message = 'the validator missed too many windows of an epoch';
    use.node.services.notes = [{ name: 'validator_jailed', message, refuses_ready: false }];
    try {
      const ready = await use.node.get('/ready');
      assert.deepEqual([ready.status, ready.text], [200, `ready\nvalidator_jailed: ${message}`]);
      use.node.services.isSynced = false;
      const behind = await use.node.get('/ready');
      assert.equal(behind.status, 503);
      assert.equal(
        errorOf(behind).message,
        `lagging: behind its peers by 7 cuts; validator_jailed: ${message}`,
      );
    } finally {
      use.node.services.isSynced = true;
      use.node.services.notes = [];
    }
  });

  test('the descriptions for programs name every route and socket', async () => {
    const openapi = await use.node.get('/openapi.json');
    const { paths, openapi: version } = JSON.parse(openapi.text);
    assert.equal(version, '3.1.0');
    assert.deepEqual(
      Object.keys(paths).sort(),
      [...new Set(ROUTE_LIST.map(({ path }) => path))].sort(),
    );
    const asyncapi = JSON.parse((await use.node.get('/asyncapi.json')).text);
    assert.match(asyncapi.asyncapi, /^3\./);
    const llms = await use.node.get('/llms.txt');
    for (const { path } of ROUTE_LIST) assert.ok(llms.text.includes(path), path);
    const full = await use.node.get('/llms-full.txt');
    for (const { path } of ROUTE_LIST) assert.ok(full.text.includes(path), path);
    const parts = ['svc-wasm', 'LightWallet', 'createDevnet', '/v1/ws', '`request_id`', '/v1/dev'];
    for (const part of parts) assert.ok(full.text.includes(part), part);
  });
});
