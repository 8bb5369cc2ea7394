import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AddressChanged, type PendingTransaction, ROUTE_LIST } from 'svc-api';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { RawSocket } from '../../../serve/test/sockets/testing/raw-socket.ts';
import { TestClient } from '../../../serve/test/sockets/testing/test-client.ts';
import { openApi } from '../../src/compose/front.ts';
import { ServicesFixture } from '../../src/testing/services-fixture.ts';
import { exampleRequest } from './testing/example-requests.ts';
import { HttpNode } from './testing/http-node.ts';
import { story } from './testing/story.ts';

type Context = Parameters<typeof HttpNode.start>[0];

/** The API as a node serves it, over a chain that the test drives. */
async function start(t: Context, isPublic = false, given?: ServicesFixture) {
  const clients: TestClient[] = [];
  const closing = new AsyncDisposableStack();
  t.after(() => {
    for (const { webSocket } of clients) webSocket.terminate();
    return closing.disposeAsync();
  });
  const services = given ?? (await ServicesFixture.create());
  if (given === undefined) closing.defer(() => services.close());
  const config = {
    bind: { host: '127.0.0.1', port: 0 },
    isPublic,
    publicNames: [],
    browserOrigins: ['https://wallet.example'],
    trustedProxies: [],
    ui: false,
  };
  const { http } = await openApi({ services, config, clock: SYSTEM_CLOCK }, closing);
  const node = new HttpNode(services, http);
  const origin = `http://127.0.0.1:${node.port}`;
  const open = async (
    ...rest: Parameters<typeof TestClient.open> extends [string, ...infer R] ? R : never
  ) => {
    const client = await TestClient.open(origin, ...rest);
    clients.push(client);
    return client;
  };
  return { node, open, origin };
}

test('[NSOCK-10] a read over the socket answers as HTTP does', async (t) => {
  const { node, open } = await start(t);
  const client = await open('api');
  await node.services.chain.runTo(3);
  const address = node.services.chain.text(0);
  const paths = [
    '/v1/chain/head',
    '/v1/cuts?limit=2',
    '/v1/mempool',
    '/v1/node/sync',
    `/v1/address/${address}/balance`,
    '/v1/no/such/route',
    '/v1/cuts?limit=0',
    '/v1/address/balances',
  ];
  for (const path of paths) {
    const { status, text } = await node.get(path);
    const { type, data } = await client.ask('request', { id: path, path });
    assert.equal(type, 'response');
    assert.deepEqual([data['status'], data['body']], [status, JSON.parse(text)], path);
  }
});

test('[NSOCK-10] every GET route can be read over the socket, plain text as a text', async (t) => {
  const told = await story();
  const { node, open } = await start(t, false, told.services);
  const client = await open('api');
  const routes = ROUTE_LIST.filter(({ method }) => method === 'GET');
  for (const path of ['/', '/health', '/openapi.json', '/llms.txt'])
    assert.ok(routes.some((route) => route.path === path));
  assert.ok(routes.length > 25);
  for (const route of routes) {
    const { target: path } = exampleRequest(route, told);
    const { text } = await node.get(path);
    const { type, data } = await client.ask('request', { id: path, path });
    assert.deepEqual([type, data['status']], ['response', 200], path);
    const expected: unknown = route.media === 'text/plain' ? text : JSON.parse(text);
    assert.deepEqual(data['body'], expected, path);
  }
});

test('[NSOCK-16] [NSOCK-18] document topics show what the routes answer', async (t) => {
  const { node, open } = await start(t);
  const client = await open('api');
  for (const [topic, path] of [
    ['mempool', '/v1/mempool'],
    ['rates', '/v1/chain/rates'],
    ['sync', '/v1/node/sync'],
  ] as const) {
    const subscription = await client.subscribe(topic);
    const { type, data } = await client.event(subscription);
    assert.equal(type, topic);
    assert.deepEqual(data, JSON.parse((await node.get(path)).text));
  }
});

test('reads take from the budget that the client has over HTTP', async (t) => {
  const { node, open } = await start(t, true);
  const [client, path] = [await open('api'), '/v1/mempool'];
  let reads = 0;
  // The budget fills up again meanwhile; a budget of the socket's own would outlast these tries.
  let answer: Awaited<ReturnType<typeof client.ask>> | undefined;
  for (let id = 1; id <= 10 && answer?.data['status'] !== 429; id++) {
    while ((await node.get(path)).status === 200) reads++;
    answer = await client.ask('request', { id, path });
  }
  assert.ok(reads > 20);
  const { type, data } = answer ?? { type: '', data: {} };
  const body = data['body'] as { error: { code: string }; retry_after_millis: number };
  assert.deepEqual([type, data['status']], ['response', 429]);
  assert.equal(body.error.code, 'too_many_requests');
  assert.ok(body.retry_after_millis > 0);
});

test('[AUTH-08] a page of an origin that was not admitted opens no socket', async (t) => {
  const { origin, open } = await start(t);
  const headers = { origin: 'https://evil.example' };
  const raw = await RawSocket.send(origin, 'api', { headers });
  assert.deepEqual([raw.status, (await raw.refusal()).error.code], [403, 'origin_not_allowed']);
  const page = await open('api', '/v1/ws', { headers: { origin: 'https://wallet.example' } });
  assert.ok(await page.quiet());
});

test('frames carry no signature', async (t) => {
  const { open } = await start(t);
  const client = await open('api', '/v1/ws', {
    headers: { 'x-svc-request-nonce': '00'.repeat(32) },
  });
  const answer = await client.ask('request', { id: 1, path: '/v1/chain/head' });
  assert.deepEqual(Object.keys(answer).sort(), ['data', 'type']);
  assert.deepEqual(Object.keys(answer.data).sort(), ['body', 'id', 'status']);
});

test('a request that would upgrade to something else is answered as HTTP', async (t) => {
  const { node } = await start(t);
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' };
  const { status, text } = await node.get('/v1/node/sync', headers);
  assert.deepEqual([status, JSON.parse(text)], [200, node.services.sync()]);
});

test('[NSOCK-20] [NSOCK-22] a payment from the mempool to its finalized cut', async (t) => {
  const { node, open } = await start(t);
  const { chain, mempool, blocks } = node.services;
  const client = await open('api');
  const addresses = [chain.text(1)];
  const subscription = await client.subscribe('addresses', { addresses });
  const wire = await chain.pay(0, chain.address(1), 5_000_000n);
  const admission = await mempool.submit(wire, 'own');
  assert.equal(admission.type, 'accepted');
  const id = chain.transactions.decode(wire).id;
  const seen = await client.event(subscription);
  assert.equal(seen.type, 'mempool_tx_seen');
  const pending = seen.data as unknown as PendingTransaction;
  assert.equal(pending.transaction_id, id);
  const [to] = pending.received.filter(({ address }) => address === addresses[0]);
  assert.deepEqual(to, { address: addresses[0], output_index: 0, amount: '5000000' });
  const before = JSON.parse((await node.get(`/v1/address/${addresses[0]}/balance`)).text);
  await chain.cut([blocks.hold(chain.mine([wire]))]);
  await chain.cut();
  const events = new Map<string, Record<string, unknown>>();
  for (let i = 0; i < 2; i++) {
    const { type, data } = await client.event(subscription);
    events.set(type, data);
  }
  assert.equal(events.get('mempool_tx_removed')?.['reason'], 'finalized');
  assert.equal(events.get('mempool_tx_removed')?.['transaction_id'], id);
  const changed = events.get('address_changed') as unknown as AddressChanged;
  assert.deepEqual(changed.received, [
    {
      outpoint: { transaction_id: id, output_index: 0 },
      amount: '5000000',
      source: 'regular',
      transaction_id: id,
    },
  ]);
  assert.deepEqual(changed.spent, []);
  const after = JSON.parse((await node.get(`/v1/address/${addresses[0]}/balance`)).text);
  assert.equal(changed.balance, after.balance);
  assert.equal(changed.utxos, after.utxos);
  assert.equal(BigInt(after.balance) - BigInt(before.balance), 5_000_000n);
  assert.equal(changed.finalized_height, after.indexed_height);
});
