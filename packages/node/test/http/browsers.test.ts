/** Host, Origin and the headers that browsers act on. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { errorOf, HttpNode } from './testing/http-node.ts';

const WALLET = 'https://wallet.example';

suite('browsers', () => {
  test('a Host that is not served is refused: a rebound name reaches nothing', async (t) => {
    const node = await HttpNode.start(t, { publicNames: ['api.example'] });
    const status = async (host: string) => (await node.get('/v1/node/sync', { host })).status;
    for (const host of [
      '127.0.0.1',
      `127.0.0.1:${node.port}`,
      'LOCALHOST',
      'localhost:1',
      '[::1]:28701',
      'api.example',
      'API.Example:443',
    ]) {
      assert.equal(await status(host), 200, host);
    }
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'evil.example:28701',
      '192.0.2.1',
      'api.example.',
      'localhost:0',
      'localhost:99999',
      'localhost:',
      'user@localhost',
      'localhost/',
      '[::2]',
    ]) {
      assert.equal(await status(host), 403, host);
    }
    const refused = await node.get('/v1/node/sync', { host: 'evil.example' });
    assert.equal(errorOf(refused).code, 'host_not_allowed');
  });

  test('[AUTH-08] pages of other origins are refused, programs without one are not', async (t) => {
    const node = await HttpNode.start(t, { browserOrigins: [WALLET] });
    const call = (origin: string) => node.get('/v1/node/sync', { origin });
    assert.equal((await node.get('/v1/node/sync')).status, 200);
    for (const origin of [
      'https://evil.example',
      'null',
      'http://wallet.example',
      'https://wallet.example:444',
      'https://WALLET.example',
      'https://wallet.example.evil.example',
      '*',
      '',
    ]) {
      const received = await call(origin);
      assert.equal(received.status, 403, origin);
      assert.equal(errorOf(received).code, 'origin_not_allowed');
      assert.equal(received.headers['access-control-allow-origin'], undefined);
    }
    const post = await node.post(
      '/v1/address/balances',
      { api_version: 1, addresses: ['x'] },
      { origin: 'https://evil.example' },
    );
    assert.equal(post.status, 403);
  });

  test('[AUTH-08] foreign pages that read without an Origin are refused, links to the node are not', async (t) => {
    const node = await HttpNode.start(t, {});
    const read = (headers: Record<string, string>) => node.get('/v1/node/sync', headers);
    const table: [Record<string, string>, number][] = [
      [
        { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
        403,
      ],
      [
        { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
        403,
      ],
      [
        {
          'sec-fetch-site': 'cross-site',
          'sec-fetch-mode': 'navigate',
          'sec-fetch-dest': 'iframe',
        },
        403,
      ],
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [
        {
          'sec-fetch-site': 'cross-site',
          'sec-fetch-mode': 'navigate',
          'sec-fetch-dest': 'document',
        },
        200,
      ],
      [
        { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
        200,
      ],
      [
        { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
        200,
      ],
      [{}, 200],
    ];
    for (const [headers, status] of table) {
      const received = await read(headers);
      assert.equal(received.status, status, JSON.stringify(headers));
      if (status === 403) assert.equal(errorOf(received).code, 'origin_not_allowed');
    }
  });

  test('[AUTH-08] an admitted origin gets exactly its own CORS headers, and no credentials', async (t) => {
    const node = await HttpNode.start(t, { browserOrigins: [WALLET] });
    const received = await node.get('/v1/node/sync', { origin: WALLET });
    assert.equal(received.status, 200);
    assert.equal(received.headers['access-control-allow-origin'], WALLET);
    assert.match(String(received.headers['access-control-expose-headers']), /x-svc-signature/);
    assert.equal(received.headers['access-control-allow-credentials'], undefined);
    assert.match(received.headers.vary ?? '', /origin/);
    const error = await node.get('/v1/cuts/99999', { origin: WALLET });
    assert.equal(
      error.headers['access-control-allow-origin'],
      WALLET,
      'a page can read refusals too',
    );
    const without = await node.get('/v1/node/sync');
    assert.equal(without.headers['access-control-allow-origin'], undefined);
    assert.match(without.headers.vary ?? '', /origin/, 'a cache must not mix them up');
  });

  test('the page of the node itself may call it, but only under a served name', async (t) => {
    const node = await HttpNode.start(t);
    const call = (host: string, origin: string) => node.get('/v1/node/sync', { host, origin });
    assert.equal(
      (await call(`localhost:${node.port}`, `http://localhost:${node.port}`)).status,
      200,
    );
    assert.equal(
      (await call(`LOCALHOST:${node.port}`, `http://localhost:${node.port}`)).status,
      200,
    );
    assert.equal((await call(`localhost:${node.port}`, 'http://localhost:3000')).status, 403);
    assert.equal(
      (await call(`localhost:${node.port}`, `http://127.0.0.1:${node.port}`)).status,
      403,
    );
    assert.equal((await call('evil.example', 'http://evil.example')).status, 403);
  });

  test('OPTIONS is a preflight of an admitted origin, and nothing else', async (t) => {
    const node = await HttpNode.start(t, { browserOrigins: [WALLET] });
    const preflight = (target: string, headers: Record<string, string>) =>
      node.send(target, { method: 'OPTIONS', headers });
    const wanted = {
      origin: WALLET,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    const allowed = await preflight('/v1/transactions', wanted);
    assert.equal(allowed.status, 204);
    assert.equal(allowed.headers['access-control-allow-origin'], WALLET);
    assert.equal(allowed.headers['access-control-allow-methods'], 'POST');
    assert.equal(
      allowed.headers['access-control-allow-headers'],
      'content-type, x-svc-request-nonce',
    );
    assert.equal(allowed.headers['access-control-max-age'], '600');
    assert.equal(allowed.headers['access-control-allow-private-network'], undefined);
    const near = await preflight('/v1/chain/head', {
      ...wanted,
      'access-control-request-private-network': 'true',
    });
    assert.equal(near.headers['access-control-allow-private-network'], 'true');
    assert.equal(
      (await preflight('/v1/transactions', { ...wanted, origin: 'https://evil.example' })).status,
      403,
    );
    assert.equal((await preflight('/nothing', wanted)).status, 404);
    const plain = await preflight('/v1/transactions', {});
    assert.deepEqual([plain.status, plain.headers.allow], [405, 'POST']);
    assert.equal((await preflight('/v1/transactions', { origin: WALLET })).status, 405);
    const own = `127.0.0.1:${node.port}`;
    const same = await preflight('/v1/transactions', {
      ...wanted,
      origin: `http://${own}`,
      host: own,
    });
    assert.equal(same.status, 405);
  });

  test('every answer tells browsers to guess and frame nothing', async (t) => {
    const node = await HttpNode.start(t);
    for (const target of ['/', '/health', '/v1/chain/head', '/nothing', '/v1/cuts?limit=0']) {
      const { headers } = await node.get(target);
      assert.equal(headers['x-content-type-options'], 'nosniff', target);
      assert.equal(headers['referrer-policy'], 'no-referrer', target);
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin', target);
      assert.match(
        String(headers['content-security-policy']),
        /default-src 'none'.*frame-ancestors 'none'/,
        target,
      );
    }
  });
});
