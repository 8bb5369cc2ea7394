/**
 * Connections that ask for nothing, at every listener of the node: more of them than there are places. Each test sends
 * an honest request afterwards, and it is answered.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { startMetricsServer } from '../src/metrics/metrics-server.ts';
import { NodeMetrics } from '../src/metrics/node-metrics.ts';
import { MiningListener } from '../src/mining/listener.ts';
import { createMiningKit } from '../src/mining/testing/mining-kit.ts';
import { send } from '../src/mining/testing/request.ts';
import { HttpNode } from './http/testing/http-node.ts';

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
