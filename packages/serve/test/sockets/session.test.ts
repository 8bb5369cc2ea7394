import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pooledBlock } from './testing/pooled.ts';
import { SocketNode } from './testing/socket-node.ts';

test('[WSEP-03] [NSOCK-12] ping is answered under its id, a number or a text', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  for (const id of [0, -7, Number.MAX_SAFE_INTEGER, 'a', 'ß"\\'.repeat(32)]) {
    assert.deepEqual(await client.ask('ping', { id }), { type: 'pong', data: { id } });
  }
});

test('[WSEP-03] [NSOCK-09] [NSOCK-11] [NSOCK-13] subscriptions are independent and can be ended', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  const [first, second] = [await client.subscribe('blocks'), await client.subscribe('blocks')];
  assert.notEqual(first, second);
  const cuts = await client.subscribe('cuts');
  node.accepted.emit(pooledBlock(1));
  const frames = [await client.next(), await client.next()];
  for (const [index, subscription] of [first, second].entries()) {
    const { type, data } = frames[index] ?? { type: '', data: {} };
    assert.equal(type, 'notification');
    assert.deepEqual(Object.keys(data).sort(), ['event', 'subscription']);
    assert.equal(data['subscription'], subscription);
    assert.deepEqual(Object.keys(data['event'] as object).sort(), ['data', 'type']);
  }
  assert.deepEqual(await client.ask('unsubscribe', { id: 'u', subscription: first }), {
    type: 'unsubscribed',
    data: { id: 'u', subscription: first },
  });
  node.accepted.emit(pooledBlock(2));
  await client.event(second);
  await node.chain.step();
  await client.event(cuts);
  assert.ok(await client.quiet());
  const again = await client.ask('unsubscribe', { id: 'v', subscription: first });
  assert.deepEqual([again.type, again.data['code']], ['error', 'unknown_subscription']);
});

test('[NSOCK-10] request is answered with the status and the body of the read', async (t) => {
  const asked: [string, string][] = [];
  const node = await SocketNode.start(t, {
    read: async (path, client) => {
      asked.push([path, client]);
      return path === '/v1/mempool'
        ? { status: 200, body: '{"api_version":1,"text":"ü€"}' }
        : { status: 404, body: '{"api_version":1,"error":{"code":"unknown_route"}}' };
    },
  });
  const client = await node.open('api');
  assert.deepEqual(await client.ask('request', { id: 'r"1', path: '/v1/mempool' }), {
    type: 'response',
    data: { id: 'r"1', status: 200, body: { api_version: 1, text: 'ü€' } },
  });
  const missing = await client.ask('request', { id: 2, path: '/v1/nothing?limit=5' });
  assert.deepEqual([missing.type, missing.data['status']], ['response', 404]);
  const clientAddress = '127.0.0.1';
  assert.deepEqual(asked, [
    ['/v1/mempool', clientAddress],
    ['/v1/nothing?limit=5', clientAddress],
  ]);
});

test('a read that fails is an error under its id, and the connection goes on', async (t) => {
  const node = await SocketNode.start(t, {
    read: async () => {
      throw new Error('out of order');
    },
  });
  const client = await node.open('api');
  const { type, data } = await client.ask('request', { id: 1, path: '/v1/mempool' });
  assert.deepEqual([type, data['code']], ['error', 'internal_error']);
  assert.ok(!JSON.stringify(data).includes('out of order'));
  assert.ok(await client.quiet());
});

/** Frames that are refused, with the code; where the id can be read, the answer carries it. */
const REFUSED: readonly [string, string, unknown?][] = [
  ['', 'bad_json'],
  ['{', 'bad_json'],
  ['[]', 'bad_type'],
  ['null', 'bad_type'],
  ['"ping"', 'bad_type'],
  ['{"type":"ping","type":"ping","data":{"id":1}}', 'bad_json'],
  ['{"type":"ping","data":{"id":1},"more":1}', 'unknown_field'],
  ['{"type":"ping"}', 'missing_field'],
  ['{"type":"ping","data":[]}', 'bad_type'],
  ['{"type":"ping","data":{}}', 'missing_field'],
  ['{"type":"ping","data":{"id":null}}', 'bad_value'],
  ['{"type":"ping","data":{"id":""}}', 'bad_value'],
  [`{"type":"ping","data":{"id":"${'x'.repeat(129)}"}}`, 'bad_value'],
  ['{"type":"ping","data":{"id":1.5}}', 'bad_json'],
  ['{"type":"ping","data":{"id":1,"__proto__":{}}}', 'unknown_field', 1],
  [`${'['.repeat(50_000)}`, 'bad_json'],
  ['{"type":"pong","data":{"id":3}}', 'unknown_frame', 3],
  ['{"type":"constructor","data":{"id":3}}', 'unknown_frame', 3],
  ['{"type":"subscribe","data":{"id":4}}', 'missing_field', 4],
  ['{"type":"subscribe","data":{"id":4,"topic":"cut"}}', 'unknown_topic', 4],
  ['{"type":"subscribe","data":{"id":4,"topic":"__proto__"}}', 'unknown_topic', 4],
  ['{"type":"subscribe","data":{"id":4,"topic":"cuts","addresses":[]}}', 'unknown_field', 4],
  ['{"type":"subscribe","data":{"id":4,"topic":"transaction"}}', 'missing_field', 4],
  [
    `{"type":"subscribe","data":{"id":4,"topic":"transaction","transaction_id":"${'AB'.repeat(48)}"}}`,
    'bad_hex',
    4,
  ],
  ['{"type":"subscribe","data":{"id":4,"topic":"addresses","addresses":[]}}', 'too_few_items', 4],
  ['{"type":"subscribe","data":{"id":4,"topic":"addresses","addresses":["x"]}}', 'bad_address', 4],
  ['{"type":"unsubscribe","data":{"id":5,"subscription":"1"}}', 'bad_value', 5],
  ['{"type":"unsubscribe","data":{"id":5,"subscription":0}}', 'bad_value', 5],
  ['{"type":"unsubscribe","data":{"id":5,"subscription":1}}', 'unknown_subscription', 5],
];

test('a frame that is not understood is refused with a code, and the connection goes on', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  for (const [text, code, id] of REFUSED) {
    client.webSocket.send(text);
    const data = await client.expect('error');
    assert.equal(data['code'], code, text.slice(0, 100));
    assert.equal(data['id'], id, text.slice(0, 100));
    assert.equal(typeof data['message'], 'string');
  }
  assert.ok(await client.quiet());
});
