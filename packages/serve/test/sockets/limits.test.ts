import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SOCKET_LIMITS, type SocketProfile } from 'svc-api';
import type { Clock } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { namedAddress, pooledBlock } from './testing/pooled.ts';
import { clientFrame, OPCODES, RawSocket } from './testing/raw-socket.ts';
import { SocketNode } from './testing/socket-node.ts';
import type { TestClient } from './testing/test-client.ts';

const PROFILES = Object.keys(SOCKET_LIMITS) as SocketProfile[];

/** What the specification's table says. */
const TABLE = {
  node: [64, 512, 65_536, 262_144, 100, 8],
  public: [64, 512, 16_384, 1_048_576, 10, 4],
} as const;

test('[LIMIT-22] [LIMIT-23] [LIMIT-24] [LIMIT-25] [LIMIT-26] [LIMIT-27] the profiles have the limits of the specification', () => {
  for (const profile of PROFILES) {
    const limits = SOCKET_LIMITS[profile];
    assert.deepEqual(Object.values(limits), TABLE[profile]);
  }
});

/** A clock on which a second passes between two readings, so that no frame is over the rate, however fast they come. */
function hurriedClock(): Clock {
  let now = 0;
  return { ...SYSTEM_CLOCK, now: () => (now += 1_000) };
}

function watch(client: TestClient, from: number, count: number) {
  const addresses = Array.from({ length: count }, (_, index) => namedAddress(`w ${from + index}`));
  return client.ask('subscribe', { id: from, topic: 'addresses', addresses });
}

test('an address that occurs twice in a subscription is refused', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  const address = namedAddress('w');
  const addresses = [address, address.toUpperCase()];
  const { data } = await client.ask('subscribe', { id: 1, topic: 'addresses', addresses });
  assert.equal(data['code'], 'duplicate_item');
});

for (const profile of PROFILES) {
  const limits = SOCKET_LIMITS[profile];

  test(`[LIMIT-22] ${profile}: a connection has 64 subscriptions; one that ended makes room`, async (t) => {
    const node = await SocketNode.start(t, { profile, clock: hurriedClock() });
    const client = await node.open('api');
    const numbers = new Set<number>();
    for (let i = 0; i < 64; i++) numbers.add(await client.subscribe('blocks'));
    assert.equal(numbers.size, 64);
    const { type, data } = await client.ask('subscribe', { id: 65, topic: 'cuts' });
    assert.deepEqual([type, data['code']], ['error', 'too_many_subscriptions']);
    await client.ask('unsubscribe', { id: 'u', subscription: 17 });
    assert.equal(await client.subscribe('cuts'), 17);
    node.accepted.emit(pooledBlock(1));
    for (let i = 0; i < 63; i++) await client.expect('notification');
  });

  test(`[LIMIT-23] ${profile}: a connection watches 512 addresses, 64 in a subscription`, async (t) => {
    const node = await SocketNode.start(t, { profile, clock: hurriedClock() });
    const client = await node.open('api');
    const tooMany = await watch(client, 0, 65);
    assert.deepEqual([tooMany.type, tooMany.data['code']], ['error', 'too_many_items']);
    for (let i = 0; i < 8; i++) assert.equal((await watch(client, 64 * i, 64)).type, 'subscribed');
    const beyond = await watch(client, 512, 1);
    assert.deepEqual([beyond.type, beyond.data['code']], ['error', 'too_many_addresses']);
    await client.ask('unsubscribe', { id: 'u', subscription: 3 });
    assert.equal((await watch(client, 600, 64)).type, 'subscribed');
    const again = await watch(client, 512, 1);
    assert.deepEqual([again.type, again.data['code']], ['error', 'too_many_addresses']);
  });

  test(`[LIMIT-24] ${profile}: a frame of ${limits.frameBytes} bytes is read, one more ends the connection`, async (t) => {
    const node = await SocketNode.start(t, { profile });
    const client = await node.open('api');
    const frame = JSON.stringify({ type: 'ping', data: { id: 1 } });
    client.webSocket.send(frame.padEnd(limits.frameBytes, ' '));
    assert.deepEqual(await client.expect('pong'), { id: 1 });
    client.webSocket.send(frame.padEnd(limits.frameBytes + 1, ' '));
    assert.equal((await client.closed).code, 1_009);
  });

  test(`[LIMIT-25] ${profile}: an answer of ${limits.answerBytes} bytes is sent, a larger one is refused`, async (t) => {
    const node = await SocketNode.start(t, {
      profile,
      read: async (path) => ({
        status: 200,
        body: JSON.stringify('x'.repeat(Number(path.slice('/v1/'.length)) - 2)),
      }),
    });
    const client = await node.open('api');
    const path = (bytes: number) => `/v1/${bytes}`;
    const fits = await client.ask('request', { id: 1, path: path(limits.answerBytes) });
    assert.equal(fits.type, 'response');
    assert.equal((fits.data['body'] as string).length, limits.answerBytes - 2);
    const large = await client.ask('request', { id: 2, path: path(limits.answerBytes + 1) });
    assert.deepEqual([large.type, large.data['code']], ['error', 'answer_too_large']);
  });

  test(`[LIMIT-27] ${profile}: ${limits.requestsInFlight} requests wait for an answer, one more is refused`, async (t) => {
    const gates: (() => void)[] = [];
    const node = await SocketNode.start(t, {
      profile,
      read: (path) =>
        new Promise((resolve) => gates.push(() => resolve({ status: 200, body: `"${path}"` }))),
    });
    const client = await node.open('api');
    const path = '/v1/mempool';
    for (let id = 1; id <= limits.requestsInFlight; id++) client.send('request', { id, path });
    const beyond = await client.ask('request', { id: 'beyond', path });
    assert.deepEqual([beyond.type, beyond.data['code']], ['error', 'too_many_in_flight']);
    for (const open of gates.splice(0)) open();
    for (let id = 1; id <= limits.requestsInFlight; id++) {
      assert.equal((await client.expect('response'))['id'], id);
    }
    client.send('request', { id: 'later', path });
    while (gates.length === 0) await new Promise(setImmediate);
    gates[0]?.();
    assert.equal((await client.expect('response'))['id'], 'later');
  });

  test(`[LIMIT-26] ${profile}: ${limits.framesPerSecond} frames in a second are taken, the next is refused`, async (t) => {
    let now = 1_000_000;
    const node = await SocketNode.start(t, { profile, clock: { ...SYSTEM_CLOCK, now: () => now } });
    const client = await node.open('api');
    const most = limits.framesPerSecond;
    for (let id = 1; id <= most; id++) {
      assert.deepEqual(await client.ask('ping', { id }), { type: 'pong', data: { id } });
    }
    now += 400;
    const { type, data } = await client.ask('ping', { id: 'beyond' });
    assert.deepEqual([type, data['code']], ['error', 'too_many_frames']);
    assert.equal(data['retry_after_millis'], 600);
    now += 600;
    assert.ok(await client.quiet());
  });

  test(`${profile}: who goes on over the rate is disconnected`, async (t) => {
    const node = await SocketNode.start(t, { profile, clock: { ...SYSTEM_CLOCK, now: () => 0 } });
    const raw = await RawSocket.send(node.origin, 'api');
    const frame = clientFrame(OPCODES.text, '{"type":"ping","data":{"id":1}}');
    raw.write(Buffer.concat(Array.from({ length: 2 * limits.framesPerSecond + 1 }, () => frame)));
    assert.equal(await raw.closeCode(), 1_008);
  });
}

test('[LIMIT-13] a path of 1,024 bytes is read, one of 1,025 is refused', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  const path = `/v1/${'x'.repeat(1_020)}`;
  assert.equal((await client.ask('request', { id: 1, path })).type, 'response');
  const { type, data } = await client.ask('request', { id: 2, path: `${path}x` });
  assert.deepEqual([type, data['code'], data['path']], ['error', 'bad_path', 'data.path']);
});

test('[NSOCK-10] a path with a host, a scheme, an empty segment or dots is refused', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  const paths = [
    '',
    '/v1/',
    '//',
    '/.',
    '/..',
    '/../v1/mempool',
    'v1/mempool',
    '//v1/mempool',
    '/v1//mempool',
    '/v1/mempool/',
    'http://127.0.0.1:1/v1/mempool',
    '//evil.example/v1/mempool',
    '/v1/../health',
    '/v1/./mempool',
    '/v1/..',
    '/v1/..?x=1',
    '/v1/mempool#x',
    '/v1/mem pool',
    '/v1/mempool\n',
    '/v1/mempool\\x',
    '/v1/größe',
    '/v1/mempool\u0000',
  ];
  for (const [id, path] of paths.entries()) {
    const { type, data } = await client.ask('request', { id, path });
    assert.deepEqual([type, data['code']], ['error', 'bad_path'], path);
  }
});
