import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { CutFinalized } from 'svc-api';
import { ManualClock, until } from 'svc-base/testing';
import { pooledBlock } from './testing/pooled.ts';
import { clientFrame, OPCODES, RawSocket } from './testing/raw-socket.ts';
import { SocketNode } from './testing/socket-node.ts';
import type { TestClient } from './testing/test-client.ts';

/** A block whose event is about 40 KB. */
function largeBlock() {
  const pooled = pooledBlock(1);
  const [transaction] = pooled.transactions;
  if (transaction === undefined) throw new Error('the block carries a payment');
  return { ...pooled, transactions: Array.from({ length: 400 }, () => transaction) };
}

/** Emits so much that neither kernel nor queue can hold it for a client that does not read. */
function flood(node: SocketNode): number {
  const block = largeBlock();
  const events = 1_000;
  for (let i = 0; i < events; i++) node.accepted.emit(block);
  return events;
}

const HEARTBEAT_MILLIS = 30_000;

/** Lets a period pass: everyone is pinged once, and the server has read what the client answered. */
async function beat(clock: ManualClock, node: SocketNode, client: TestClient): Promise<void> {
  const pinged = once(client.webSocket, 'ping');
  clock.advance(HEARTBEAT_MILLIS);
  await pinged;
  await node.hasRead(client);
}

async function eventsUntilResync(client: TestClient): Promise<[number, unknown]> {
  for (let events = 0; ; events++) {
    const { type, data } = await client.next();
    if (type === 'resync_required') return [events, data];
    assert.equal(type, 'notification');
  }
}

test('[NSOCK-23] [NSOCK-24] who reads too slowly loses events, is told once, and stays subscribed', async (t) => {
  const node = await SocketNode.start(t);
  const [slow, quick] = [await node.open('api'), await node.open('api')];
  const subscription = await slow.subscribe('blocks');
  await quick.subscribe('cuts');
  slow.webSocket.pause();
  const emitted = flood(node);
  await node.chain.step();
  assert.equal((await quick.event(1)).type, 'cut_finalized');
  slow.webSocket.resume();
  const [events, data] = await eventsUntilResync(slow);
  assert.ok(events > 0 && events < emitted, `${events} of ${emitted} events came`);
  assert.deepEqual(data, { subscription, reason: 'stream_lagged' });
  node.accepted.emit(pooledBlock(2));
  assert.equal((await slow.event(subscription)).data['block_id'], pooledBlock(2).block.id);
  assert.ok(await slow.quiet(), 'nothing was replayed');
});

test('a client that never reads costs a bounded amount of memory, and the node nothing else', async (t) => {
  const clock = new ManualClock();
  const node = await SocketNode.start(t, { heartbeatMillis: HEARTBEAT_MILLIS, clock });
  const silent = await RawSocket.send(node.origin, 'api');
  silent.socket.pause();
  const text = '{"type":"subscribe","data":{"id":1,"topic":"blocks"}}';
  silent.write(clientFrame(OPCODES.text, text));
  const client = await node.open('api');
  const subscription = await client.subscribe('cuts');
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 10; i++) {
    flood(node);
    await node.chain.step();
    await client.event(subscription);
  }
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 200 << 20, `${grown} bytes for 400 MB of events`);
  await beat(clock, node, client);
  assert.equal(node.sockets.size, 2);
  await beat(clock, node, client);
  await until(() => node.sockets.size === 1, 'the end of who never reads');
  assert.ok(await client.quiet());
});

test('a client that sends without reading is not read from', async (t) => {
  const answer = JSON.stringify('x'.repeat(200_000));
  let reads = 0;
  const node = await SocketNode.start(t, {
    read: async () => {
      reads++;
      return { status: 200, body: answer };
    },
  });
  const raw = await RawSocket.send(node.origin, 'api');
  raw.socket.pause();
  const text = '{"type":"request","data":{"id":1,"path":"/v1/mempool"}}';
  for (let second = 0; second < 3; second++) {
    for (let i = 0; i < 50; i++) {
      raw.write(clientFrame(OPCODES.text, text));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await new Promise((resolve) => setTimeout(resolve, 900));
  }
  assert.ok(reads < 120, `${reads} answers of 200 KB were made for a client that reads none`);
  raw.socket.destroy();
});

test('/v1/events loses nothing for a slow client: it goes on from the store', async (t) => {
  const node = await SocketNode.start(t);
  const [slow, quick] = [await node.open('events'), await node.open('events')];
  for (const client of [slow, quick]) await client.expect('checkpoint');
  slow.webSocket.pause();
  await node.chain.climb(60);
  slow.webSocket.resume();
  for (const client of [quick, slow]) {
    for (let height = 1; height <= 60; height++) {
      const data = (await client.expect('cut_finalized')) as unknown as CutFinalized;
      assert.equal(data.cut.height, height);
    }
  }
});

test('[NSOCK-25] a chain that skips heights has restarted: every subscription is told, and stays open', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  const subscriptions = [await client.subscribe('cuts'), await client.subscribe('blocks')];
  const cut = await node.chain.step();
  await client.event(subscriptions[0] as number);
  node.chain.finalized.emit({ ...cut, height: 5 });
  for (const subscription of subscriptions) {
    const data = await client.expect('resync_required');
    assert.deepEqual(data, { subscription, reason: 'stream_restarted' });
  }
  await client.event(subscriptions[0] as number);
});

test('silent peers are found by pings and cut off; those that answer stay', async (t) => {
  const clock = new ManualClock();
  const node = await SocketNode.start(t, { heartbeatMillis: HEARTBEAT_MILLIS, clock });
  const client = await node.open('events');
  const silent = await RawSocket.send(node.origin, 'events');
  await beat(clock, node, client);
  await until(() => silent.bytes.includes(Buffer.of(0x89, 0)), 'it was asked first');
  assert.equal(node.sockets.size, 2);
  await beat(clock, node, client);
  assert.equal(await silent.closeCode(), 1_006);
  for (let more = 0; more < 2; more++) await beat(clock, node, client);
  await client.expect('checkpoint');
  await node.chain.step();
  await client.expect('cut_finalized');
});

test('faults for development: events lag while it is on, and all sockets can be closed', async (t) => {
  const node = await SocketNode.start(t);
  const [client, events] = [await node.open('api'), await node.open('events')];
  const subscription = await client.subscribe('cuts');
  await events.expect('checkpoint');
  node.sockets.lagEvents(true);
  await node.chain.climb(3);
  assert.ok(await client.quiet());
  node.sockets.lagEvents(false);
  const data = await client.expect('resync_required');
  assert.deepEqual(data, { subscription, reason: 'stream_lagged' });
  await node.chain.step();
  const { data: cut } = await client.event(subscription);
  assert.equal((cut['cut'] as { height: number }).height, 4);
  for (let height = 1; height <= 4; height++) {
    const told = (await events.expect('cut_finalized')) as unknown as CutFinalized;
    assert.equal(told.cut.height, height);
  }
  node.sockets.closeAll();
  for (const each of [client, events]) assert.equal((await each.closed).code, 1_001);
});
