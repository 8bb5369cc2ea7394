/** Request rates: 429, blocks, who counts as one client. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ROUTES } from 'svc-api';
import { ManualClock } from 'svc-base/testing';
import { toHex } from 'svc-wasm/base';
import { Budgets } from '../../../serve/src/http/guards/budgets.ts';
import { ClientKeys, clientKeyOf } from '../../../serve/src/http/guards/client-key.ts';
import { PROFILE_LIMITS } from '../../../serve/src/http/options.ts';
import { errorOf, HttpNode } from './testing/http-node.ts';

const { requests, signatures, allSignatures, submissions } = PROFILE_LIMITS.public;

/** Sends until a request is refused for its rate; gives the number that were not. */
async function exhaust(node: HttpNode, target: string, headers?: Record<string, string>) {
  for (let sent = 0; sent < 1_000; sent++) {
    const received = await node.get(target, headers);
    if (received.status === 429) return { sent, received };
  }
  throw new Error('never refused');
}

suite('rates', () => {
  test('[HTTPERR-01] over the rate: 429 with retry_after_millis and Retry-After, and again fine after it', async (t) => {
    const clock = new ManualClock();
    const node = await HttpNode.start(t, { profile: 'public' }, { clock });
    const { sent, received } = await exhaust(node, '/v1/node/sync');
    assert.equal(sent, requests.burst);
    assert.equal(errorOf(received).code, 'too_many_requests');
    const { retry_after_millis } = JSON.parse(received.text);
    assert.equal(retry_after_millis, 1_000 / requests.perSecond);
    assert.equal(received.headers['retry-after'], '1');
    assert.equal(received.headers['cache-control'], 'no-store');
    clock.advance(retry_after_millis - 1);
    assert.equal((await node.get('/v1/node/sync')).status, 429);
    clock.advance(1);
    assert.equal((await node.get('/v1/node/sync')).status, 200);
  });

  test('[HTTPERR-01] a client that goes on is blocked for a while, even at a rate that was fine', async (t) => {
    const clock = new ManualClock();
    const node = await HttpNode.start(t, { profile: 'public' }, { clock });
    await exhaust(node, '/v1/node/sync');
    let received = await node.get('/v1/node/sync');
    for (let strikes = 0; strikes < 200 && errorOf(received).code !== 'blocked'; strikes++) {
      received = await node.get('/v1/node/sync');
    }
    assert.equal(errorOf(received).code, 'blocked');
    assert.equal(received.status, 429);
    clock.advance(30_000);
    const later = await node.get('/v1/node/sync');
    assert.deepEqual([later.status, JSON.parse(later.text).retry_after_millis], [429, 30_000]);
    clock.advance(30_000);
    assert.equal((await node.get('/v1/node/sync')).status, 200);
  });

  test('what does not exist, is malformed or is refused counts too', async (t) => {
    const node = await HttpNode.start(t, { profile: 'public' }, { clock: new ManualClock() });
    for (const target of ['/nothing', '/v1//x', '/%zz', '/v1/cuts?limit=0']) {
      for (let count = 0; count < 50; count++) await node.get(target);
    }
    assert.equal((await node.get('/v1/node/sync')).status, 429);
    const post = await node.send('/nothing', { body: '{}', headers: { 'content-type': 'x/y' } });
    assert.equal(post.status, 429);
  });

  test('a batch costs by its items', async (t) => {
    const node = await HttpNode.start(t, { profile: 'public' }, { clock: new ManualClock() });
    const addresses = Array.from({ length: 64 }, () => node.services.chain.text(0));
    let sent = 0;
    while ((await node.post('/v1/address/utxos', { api_version: 1, addresses })).status === 200)
      sent++;
    assert.ok(sent <= 1 + requests.burst / 33, `${sent} batches`);
  });

  test('health costs nothing', async (t) => {
    const node = await HttpNode.start(t, { profile: 'public' }, { clock: new ManualClock() });
    await exhaust(node, '/v1/node/sync');
    assert.equal((await node.get('/health')).status, 200);
  });

  test('a node does not limit its own machine', async (t) => {
    const node = await HttpNode.start(t, {}, { clock: new ManualClock() });
    const count = PROFILE_LIMITS.node.requests.burst + 50;
    for (let sent = 0; sent < count; sent += 50) {
      const received = await Promise.all(
        Array.from({ length: 50 }, () => node.get('/v1/node/sync')),
      );
      assert.ok(received.every(({ status }) => status === 200));
    }
  });

  test('a node takes any number of submissions from its own machine', async (t) => {
    const node = await HttpNode.start(t, {}, { clock: new ManualClock() });
    const { chain } = node.services;
    const wire_hex = toHex(await chain.pay(0, chain.address(1), 5_000n));
    const submit = () => node.post('/v1/transactions', { api_version: 1, wire_hex });
    for (let sent = 0; sent <= PROFILE_LIMITS.node.submissions.burst; sent += 50) {
      const received = await Promise.all(Array.from({ length: 50 }, submit));
      assert.deepEqual([...new Set(received.map(({ status }) => status))], [200]);
    }
  });

  test('signed answers have a smaller budget of their own, and a refusal is not signed', async (t) => {
    const node = await HttpNode.start(t, { profile: 'public' }, { clock: new ManualClock() });
    const headers = { 'x-svc-request-nonce': 'ab'.repeat(32) };
    const { sent, received } = await exhaust(node, '/v1/chain/head', headers);
    assert.equal(sent, signatures.burst);
    assert.equal(received.headers['x-svc-signature'], undefined);
    assert.equal((await node.get('/v1/chain/head')).status, 200, 'unsigned reads go on');
  });

  test('submissions have a smaller budget of their own, granted before any signature is checked', async (t) => {
    const node = await HttpNode.start(t, { profile: 'public' }, { clock: new ManualClock() });
    const { chain } = node.services;
    const wire = await chain.pay(0, chain.address(1), 5_000n);
    const statuses: number[] = [];
    for (let sent = 0; sent < 41 && !statuses.includes(429); sent++) {
      const received = await node.post('/v1/transactions', {
        api_version: 1,
        wire_hex: toHex(wire),
      });
      statuses.push(received.status);
      if (received.status === 429) assert.ok(JSON.parse(received.text).retry_after_millis > 0);
    }
    assert.equal(statuses.at(-1), 429);
    assert.equal(statuses.length, submissions.burst + 1);
    assert.equal((await node.get('/health')).status, 200);
  });
});

suite('who is one client', () => {
  test('[HTTPERR-01] IPv6 clients share one limit for their /64', () => {
    assert.equal(clientKeyOf('2001:db8:1:2:aaaa::1'), clientKeyOf('2001:db8:1:2:bbbb:cccc::9'));
    assert.notEqual(clientKeyOf('2001:db8:1:2::1'), clientKeyOf('2001:db8:1:3::1'));
    assert.equal(clientKeyOf('::ffff:192.0.2.7'), '192.0.2.7');
    assert.notEqual(clientKeyOf('192.0.2.7'), clientKeyOf('192.0.2.8'));
  });

  test('X-Forwarded-For is believed from proxies of the configuration only', async (t) => {
    const clock = new ManualClock();
    const open = await HttpNode.start(t, { profile: 'public' }, { clock });
    let index = 0;
    const spoof = () => ({ 'x-forwarded-for': `198.51.100.${index++ % 250}` });
    for (let sent = 0; sent < requests.burst; sent++) await open.get('/v1/node/sync', spoof());
    assert.equal(
      (await open.get('/v1/node/sync', spoof())).status,
      429,
      'a made-up address does not help',
    );

    const behind = await HttpNode.start(
      t,
      { profile: 'public', trustedProxies: ['127.0.0.1'] },
      { clock },
    );
    const as = (list: string) => behind.get('/v1/node/sync', { 'x-forwarded-for': list });
    for (let sent = 0; sent < requests.burst; sent++) await as('203.0.113.5');
    assert.equal((await as('203.0.113.5')).status, 429);
    assert.equal(
      (await as('8.8.8.8, 203.0.113.5')).status,
      429,
      'what the client put in front is not read',
    );
    assert.equal((await as('203.0.113.6')).status, 200);
  });

  test('[HTTPERR-01] what one address of a /64 has used up, another of it does not get', async (t) => {
    const clock = new ManualClock();
    const options = { profile: 'public', trustedProxies: ['127.0.0.1'] } as const;
    const node = await HttpNode.start(t, options, { clock });
    const as = async (address: string) =>
      (await node.get('/v1/node/sync', { 'x-forwarded-for': address })).status;
    for (let sent = 0; sent < requests.burst; sent++)
      assert.equal(await as(`2001:db8:1:2:${(sent + 1).toString(16)}::1`), 200);
    assert.equal(await as('2001:db8:1:2:ffff::9'), 429);
    assert.equal(await as('2001:db8:1:3::1'), 200);
  });

  test('signed answers of all clients together have a budget too', async (t) => {
    const options = { profile: 'public', trustedProxies: ['127.0.0.1'] } as const;
    const node = await HttpNode.start(t, options, { clock: new ManualClock() });
    const nonce = { 'x-svc-request-nonce': 'ab'.repeat(32) };
    const as = (address: string, headers: Record<string, string> = nonce) =>
      node.get('/v1/chain/head', { 'x-forwarded-for': address, ...headers });
    for (let sent = 0; sent < allSignatures.burst; sent++) {
      const { status } = await as(`203.0.113.${Math.floor(sent / signatures.burst)}`);
      assert.equal(status, 200, String(sent));
    }
    assert.equal((await as('198.51.100.1')).status, 429);
    assert.equal((await as('198.51.100.1', {})).status, 200);
  });

  test('the list of proxies is read from its end up to the first stranger', () => {
    const keys = new ClientKeys(['10.0.0.0/8', '2001:db8::/32']);
    const of = (remoteAddress: string, forwarded?: string) =>
      keys.keyOf({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } as never);
    assert.equal(of('10.1.1.1', '198.51.100.1, 203.0.113.9, 10.2.2.2'), '203.0.113.9');
    assert.equal(of('203.0.113.77', '198.51.100.1'), '203.0.113.77');
    assert.equal(of('10.1.1.1'), '10.1.1.1');
    assert.equal(of('10.1.1.1', 'garbage'), '10.1.1.1');
    assert.equal(of('10.1.1.1', '203.0.113.9, garbage'), '10.1.1.1');
    assert.equal(of('2001:db8::1', '2001:4860:1:2:3::4'), '2001:4860:1:2::/64');
    assert.equal(of('10.1.1.1', `${'1.1.1.1,'.repeat(300)}2.2.2.2`), '10.1.1.1', 'an endless list');
  });

  test('memory is bounded: 65,536 clients at most, and those who ask stay', () => {
    const budgets = new Budgets({ burst: 2, perSecond: 1 });
    budgets.spend('busy', 2, 0);
    for (let client = 0; client < 100_000; client++) {
      budgets.spend(`client ${client}`, 1, 0);
      if (client % 1_000 === 0)
        assert.equal(budgets.spend('busy', 1, 0).granted, false, String(client));
    }
    assert.ok(budgets.clients <= 65_536);
  });

  test('a refusal is decided in far less than a tenth of a millisecond', () => {
    const budgets = new Budgets(requests);
    for (let count = 0; count < 1_000; count++) budgets.spend('client', 1, 0);
    const start = process.cpuUsage();
    for (let count = 0; count < 10_000; count++) budgets.spend('client', 1, 0);
    const { user, system } = process.cpuUsage(start);
    assert.ok((user + system) / 10_000 < 20);
  });
});

test('a read for a socket takes from the budget of its client', async (t) => {
  const node = await HttpNode.start(t, { profile: 'public' }, { clock: new ManualClock() });
  const first = await node.server.read(ROUTES.nodeSync.path, '192.0.2.1');
  assert.equal(first.status, 200);
  assert.deepEqual(JSON.parse(first.body), node.services.sync());
  let answers = 1;
  while ((await node.server.read('/v1/node/sync', '192.0.2.1')).status === 200) answers++;
  assert.equal(answers, requests.burst);
  assert.equal((await node.server.read('/v1/node/sync', '192.0.2.2')).status, 200);
  assert.equal((await node.get('/v1/node/sync')).status, 200);
  for (const target of [
    '//v1/node/sync',
    'http://x/v1/node/sync',
    '/v1/../v1/node/sync',
    '/v1/%6eode/sync',
    '',
  ]) {
    const { status, body } = await node.server.read(target, '192.0.2.3');
    assert.deepEqual([status, JSON.parse(body).error.code], [400, 'bad_target'], target);
  }
  assert.equal((await node.server.read('/nothing', '192.0.2.3')).status, 404);
});
