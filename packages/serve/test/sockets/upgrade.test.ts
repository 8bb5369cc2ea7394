import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ErrorDocument, SOCKET_ENDPOINTS, type SocketEndpoint } from 'svc-api';
import { Compile } from 'typebox/compile';
import { type RawRequest, RawSocket } from './testing/raw-socket.ts';
import { ADMITTED_ORIGIN, SocketNode } from './testing/socket-node.ts';

const errorDocument = Compile(ErrorDocument);
const STATUS_PATH = `/v1/transactions/${'ab'.repeat(48)}/status/stream`;

async function refused(node: SocketNode, request: RawRequest, endpoint: SocketEndpoint = 'api') {
  const raw = await RawSocket.send(node.origin, endpoint, request);
  const document = await raw.refusal();
  assert.ok(errorDocument.Check(document));
  assert.match(raw.bytes.toString(), /\r\ncontent-type: application\/json/);
  return [raw.status, document.error.code];
}

test('[WSEP-01] [VER-03] every socket needs its own subprotocol, of version 1', async (t) => {
  const node = await SocketNode.start(t);
  const paths = {
    events: SOCKET_ENDPOINTS.events.path,
    api: SOCKET_ENDPOINTS.api.path,
    status: STATUS_PATH,
  };
  for (const [name, path] of Object.entries(paths)) {
    const endpoint = name as SocketEndpoint;
    const { subprotocol } = SOCKET_ENDPOINTS[endpoint];
    assert.match(subprotocol, /\.v1$/);
    for (const offer of [undefined, '', 'chat', `${subprotocol}x`, subprotocol.toUpperCase()]) {
      const headers = { 'sec-websocket-protocol': offer };
      const answer = await refused(node, { path, headers }, endpoint);
      assert.deepEqual(answer, [400, 'subprotocol_required'], `${endpoint} ${offer}`);
    }
    const others = Object.values(SOCKET_ENDPOINTS).map((other) => other.subprotocol);
    const headers = { 'sec-websocket-protocol': others.join(', ') };
    const raw = await RawSocket.send(node.origin, endpoint, { path, headers });
    assert.equal(raw.status, 101);
    assert.ok(raw.bytes.includes(`Sec-WebSocket-Protocol: ${subprotocol}\r\n`));
    raw.socket.destroy();
  }
});

test('[AUTH-08] a web page connects only from an admitted origin; programs have none', async (t) => {
  const node = await SocketNode.start(t);
  for (const origin of ['https://evil.example', 'null', `${ADMITTED_ORIGIN}.evil.example`, '*']) {
    assert.deepEqual(await refused(node, { headers: { origin } }), [403, 'origin_not_allowed']);
  }
  const client = await node.open('api', '/v1/ws', { headers: { origin: ADMITTED_ORIGIN } });
  assert.ok(await client.quiet());
  assert.ok(await (await node.open('api')).quiet());
});

test('a request for another host is refused: a name that was rebound reaches nothing', async (t) => {
  const node = await SocketNode.start(t);
  const headers = { host: 'rebound.example:28701' };
  assert.deepEqual(await refused(node, { headers }), [403, 'host_not_allowed']);
});

test('paths and queries are taken as they are', async (t) => {
  const node = await SocketNode.start(t);
  for (const path of ['/v1/ws/', '/v1//ws', '/v1/%77s', '//v1/ws', '/v1/../v1/ws']) {
    assert.deepEqual(await refused(node, { path }), [400, 'bad_target'], path);
  }
  const unknown = ['/', '/V1/ws', '/v1/chain/head'];
  const ids = ['AB'.repeat(48), 'ab'.repeat(47), `${'ab'.repeat(48)}0`];
  unknown.push(...ids.map((id) => `/v1/transactions/${id}/status/stream`));
  for (const path of unknown) {
    assert.deepEqual(await refused(node, { path }), [404, 'unknown_route'], path);
  }
  assert.deepEqual(await refused(node, { path: '/v1/ws?x=1' }), [400, 'unknown_field']);
  const events = (query: string) => refused(node, { path: `/v1/events?${query}` }, 'events');
  const numbers = ['', '-1', '+1', '1.0', '1e3', '0x1', '01', '1=', '99999999999999999'];
  for (const number of [...numbers, '9007199254740992', 'NaN']) {
    assert.deepEqual(await events(`after_height=${number}`), [400, 'bad_integer'], number);
  }
  assert.deepEqual(await events('after_height'), [400, 'bad_integer']);
  assert.deepEqual(await events('after_height=1&after_height=1'), [400, 'duplicate_parameter']);
  assert.deepEqual(await events('height=1'), [400, 'unknown_field']);
  assert.deepEqual(await events('after_height=1&x'), [400, 'unknown_field']);
});

test('a handshake that is no WebSocket of version 13 is refused in the shape of an error', async (t) => {
  const node = await SocketNode.start(t);
  for (const headers of [
    { 'sec-websocket-key': undefined },
    { 'sec-websocket-key': 'short' },
    { 'sec-websocket-version': '7' },
    { 'sec-websocket-version': '8' },
    { 'sec-websocket-version': undefined },
    { upgrade: 'h2c' },
  ]) {
    assert.deepEqual(
      await refused(node, { headers }),
      [400, 'bad_upgrade'],
      JSON.stringify(headers),
    );
  }
});

test('no extension is agreed on: frames are never compressed', async (t) => {
  const node = await SocketNode.start(t);
  const headers = { 'sec-websocket-extensions': 'permessage-deflate; client_max_window_bits' };
  const raw = await RawSocket.send(node.origin, 'api', { headers });
  assert.equal(raw.status, 101);
  assert.ok(!/sec-websocket-extensions/i.test(raw.bytes.toString()));
  raw.socket.destroy();
});

test('sockets are capped for each client address and in all, and freed when they close', async (t) => {
  const node = await SocketNode.start(t, { caps: { total: 100, perClient: 3 } });
  const clients = [await node.open('api'), await node.open('events'), await node.open('api')];
  assert.deepEqual(await refused(node, {}), [503, 'too_many_connections']);
  clients[0]?.webSocket.close();
  await clients[0]?.closed;
  while (node.sockets.size > 2) await new Promise(setImmediate);
  await node.open('api');
  const small = await SocketNode.start(t, { caps: { total: 1, perClient: 32 } });
  await small.open('api');
  assert.deepEqual(await refused(small, {}), [503, 'too_many_connections']);
});

test('a client address may have 32 sockets', async (t) => {
  const node = await SocketNode.start(t);
  await Promise.all(Array.from({ length: 32 }, () => node.open('events')));
  assert.deepEqual(await refused(node, {}), [503, 'too_many_connections']);
});

test('a node that stops closes its sockets and takes no more', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  const silent = await RawSocket.send(node.origin, 'api');
  const closing = node.sockets.close();
  assert.equal((await client.closed).code, 1_001);
  assert.deepEqual(await refused(node, {}), [503, 'unavailable']);
  await closing;
  await node.sockets.close();
  assert.equal(node.sockets.size, 0);
  assert.equal(await silent.closeCode(), 1_001);
});
