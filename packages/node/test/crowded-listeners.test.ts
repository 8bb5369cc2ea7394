/**
 * Connections that ask for nothing, at every listener of the node: more of them than there are places. Each test sends
 * an honest request afterwards, and it is answered.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import { PROFILE_LIMITS } from '../../serve/src/http/options.ts';
import { REQUESTS_AHEAD_MAX } from '../../serve/src/http/requests/pipeline-queue.ts';
import { NodeMetrics, startMetricsServer } from '../src/metrics/node-metrics.ts';
import { MiningListener } from '../src/mining/listener.ts';
import { createMiningKit } from '../src/mining/testing/mining-kit.ts';
import { send } from '../src/mining/testing/request.ts';
import { HttpNode } from './http/testing/http-node.ts';
import { RawClient, readAnswer } from './http/testing/raw-client.ts';

const UNFINISHED =
  'POST /v1/transactions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{';

async function crowd(
  t: TestContext,
  port: number,
  { count, words, from }: { count: number; words: string; from: string },
): Promise<void> {
  for (let index = 0; index < count; index++) {
    const socket: Socket = connect({ host: '127.0.0.1', port, localAddress: from });
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    socket.write(words);
  }
}

const PLAIN = 'GET /v1/node/sync HTTP/1.1\r\nHost: localhost\r\n\r\n';

const LAST = PLAIN.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');

/** Whether a new connection of the address gets any answer at all. */
async function isAnswered(port: number, from: string): Promise<boolean> {
  const client = await RawClient.open(port, from);
  client.write(`GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  return (await client.untilClosed()).startsWith('HTTP/1.1 ');
}

async function expectFewPlaces(port: number, blocked: string): Promise<void> {
  const { burst } = PROFILE_LIMITS.public.arrivals;
  let answered = 0;
  while (answered < burst && (await isAnswered(port, blocked))) answered++;
  assert.ok(answered < burst / 32, `${answered} connections of a blocked client`);
  assert.equal(await isAnswered(port, '127.0.0.3'), true, 'another client is served');
}

const PATIENCE = { headers: 3_600_000, request: 3_600_000, keepAlive: 3_600_000 };

test('unfinished bodies of one address lock nobody out of the public API', async (t) => {
  const node = await HttpNode.start(t, { profile: 'public', timeouts: PATIENCE });
  await crowd(t, node.port, { count: 200, words: UNFINISHED, from: '127.0.0.2' });
  assert.equal((await node.get('/health')).status, 200);
  const held = await new Promise<number>((resolve) =>
    node.server.server.getConnections((_, count) => resolve(count)),
  );
  assert.ok(held <= 64 + 1, `${held} connections are held`);
});

test('more than all places of a local API taken by connections that wait lock nobody out', async (t) => {
  const node = await HttpNode.start(t, { timeouts: PATIENCE });
  await crowd(t, node.port, { count: 1_100, words: UNFINISHED, from: '127.0.0.2' });
  assert.equal((await node.get('/health')).status, 200);
});

test('a client that opens connections without end is not served beyond its budget', async (t) => {
  const clock = new ManualClock();
  const node = await HttpNode.start(t, { profile: 'public', timeouts: PATIENCE }, { clock });
  const { burst, perSecond } = PROFILE_LIMITS.public.arrivals;
  const isServed = (from: string): Promise<boolean> => isAnswered(node.port, from);
  let served = 0;
  for (let index = 0; index < burst + 20; index++) if (await isServed('127.0.0.2')) served++;
  assert.equal(served, burst, 'all of its connections beyond the burst were ended unread');
  assert.equal(await isServed('127.0.0.3'), true, 'another client is served');
  clock.advance(1_000);
  served = 0;
  for (let index = 0; index < perSecond + 20; index++) if (await isServed('127.0.0.2')) served++;
  assert.equal(served, perSecond);
});

test('a blocked client loses its connection with what it sent ahead, and may open few others', async (t) => {
  const node = await HttpNode.start(t, { profile: 'public' }, { clock: new ManualClock() });
  const { requests } = PROFILE_LIMITS.public;
  const connections =
    Math.ceil((requests.burst + (requests.strikesMax ?? 0)) / REQUESTS_AHEAD_MAX) + 1;
  let text = '';
  for (let index = 0; index < connections; index++) {
    const client = await RawClient.open(node.port, '127.0.0.2');
    client.write(PLAIN.repeat(REQUESTS_AHEAD_MAX - 1) + LAST);
    text += await client.untilClosed();
  }
  assert.equal(text.split('HTTP/1.1 200 ').length - 1, requests.burst);
  const [strikes, blocks] = ['too_many_requests', 'blocked'].map(
    (code) => text.split(`"code":"${code}"`).length - 1,
  );
  assert.deepEqual([strikes, blocks], [requests.strikesMax, 1], 'the rest was dropped');
  await expectFewPlaces(node.port, '127.0.0.2');
});

test('requests that cost nothing, sent too far ahead, block their client at once', async (t) => {
  const node = await HttpNode.start(t, { profile: 'public' }, { clock: new ManualClock() });
  const client = await RawClient.open(node.port, '127.0.0.2');
  client.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(REQUESTS_AHEAD_MAX * 5));
  assert.equal(readAnswer(await client.untilClosed()).status, 200);
  const plain = await RawClient.open(node.port, '127.0.0.2');
  plain.write(LAST);
  assert.match(await plain.untilClosed(), /"code":"blocked"/);
  await expectFewPlaces(node.port, '127.0.0.2');
});

test('idle connections lock nobody out of the metrics', async (t) => {
  const metrics = new NodeMetrics({ version: '0.1.0', network: 'development', validator: false });
  const bind = { host: '127.0.0.1', port: 0 };
  const server = await startMetricsServer({ bind, metrics, log: SILENT_LOG });
  t.after(() => server.close());
  const { port } = server.address;
  await crowd(t, port, { count: 40, words: '', from: '127.0.0.1' });
  assert.equal((await send({ port, path: '/metrics' })).status, 200);
});

test('idle connections lock nobody out of the mining listener', async (t) => {
  const { ports } = await createMiningKit(t);
  const listener = await MiningListener.start(ports, { port: 0 });
  t.after(() => listener.close());
  await crowd(t, listener.port, { count: 300, words: '', from: '127.0.0.1' });
  assert.equal((await send({ port: listener.port, path: '/v1/mining/chain' })).status, 200);
});
