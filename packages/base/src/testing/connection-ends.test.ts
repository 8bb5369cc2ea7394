import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connectionEnd, dataOrEnd } from './connection-ends.ts';

async function pair(t: TestContext): Promise<{ client: Socket; served: Socket }> {
  const server = createServer();
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  const [served] = (await once(server, 'connection')) as [Socket];
  return { client, served };
}

test('a reset is an end, also for who waits for data, and also afterwards', async (t) => {
  const { client, served } = await pair(t);
  const waits = [dataOrEnd(client), connectionEnd(client).then(() => 'ended')];
  served.resetAndDestroy();
  assert.deepEqual(await Promise.all(waits), [false, 'ended']);
  await connectionEnd(client);
  assert.equal(await dataOrEnd(client), false);
});

test('data comes before the end', async (t) => {
  const { client, served } = await pair(t);
  const came = dataOrEnd(client);
  served.end('x');
  assert.equal(await came, true);
  assert.equal(client.listenerCount('data'), 0, 'who waits often leaves nothing behind');
});
