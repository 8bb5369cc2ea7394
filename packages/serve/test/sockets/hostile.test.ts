import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientFrame, OPCODES, RawSocket } from './testing/raw-socket.ts';
import { SocketNode } from './testing/socket-node.ts';

const PING = '{"type":"ping","data":{"id":1}}';

/** Opens a socket, writes, and tells the code with which the server closed it. */
async function closedBy(node: SocketNode, ...pieces: readonly Uint8Array[]): Promise<number> {
  const raw = await RawSocket.send(node.origin, 'api');
  raw.write(...pieces);
  return raw.closeCode();
}

test('[WSEP-01] a binary frame ends the connection, on every socket', async (t) => {
  const node = await SocketNode.start(t);
  const id = 'ab'.repeat(48);
  const status = {
    transaction_id: id,
    lifecycle: 'processing',
    observed_work: null,
    registered_cut: null,
    finalized_cut: null,
    failure: null,
  } as const;
  node.setStatus(status);
  for (const client of [
    await node.open('api'),
    await node.open('events'),
    await node.open('status', `/v1/transactions/${id}/status/stream`),
  ]) {
    client.webSocket.send(Buffer.of(1));
    assert.equal((await client.closed).code, 1_003);
  }
});

test('[HTTPERR-06] binary frames and lost history end connections; a response carries its status', async (t) => {
  const node = await SocketNode.start(t, {
    height: 62,
    cutMillis: 60_000,
    read: async () => ({ status: 503, body: '{"api_version":1,"retry_after_millis":5}' }),
  });
  const api = await node.open('api');
  const answer = await api.ask('request', { id: 1, path: '/v1/mempool' });
  assert.deepEqual([answer.type, answer.data['status']], ['response', 503]);
  api.webSocket.send(Buffer.from(PING), { binary: true });
  assert.equal((await api.closed).code, 1_003);
  assert.equal(api.waiting, 0);
  const events = await node.open('events', '/v1/events?after_height=0');
  await events.expect('checkpoint');
  assert.equal((await events.expect('resync_required'))['reason'], 'history_unavailable');
  await events.closed;
});

test('a text that is not UTF-8 ends the connection', async (t) => {
  const node = await SocketNode.start(t);
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
    assert.equal(await closedBy(node, clientFrame(OPCODES.text, Buffer.from(bytes))), 1_007);
  }
});

test('frames that break the protocol end the connection', async (t) => {
  const node = await SocketNode.start(t);
  const broken = {
    unmasked: clientFrame(OPCODES.text, PING, { masked: false }),
    'reserved bit': clientFrame(OPCODES.text, PING, { reserved: 0x40 }),
    'unknown opcode': clientFrame(3, PING),
    'continuation of nothing': clientFrame(OPCODES.continuation, PING),
    'fragmented ping': clientFrame(OPCODES.ping, 'x', { final: false }),
    'long ping': clientFrame(OPCODES.ping, 'x'.repeat(126)),
  };
  for (const [what, frame] of Object.entries(broken)) {
    assert.equal(await closedBy(node, frame), 1_002, what);
  }
});

test('a length beyond the limit is refused before the payload comes', async (t) => {
  const node = await SocketNode.start(t);
  const frame = clientFrame(OPCODES.text, Buffer.alloc(65_537));
  assert.equal(await closedBy(node, frame.subarray(0, 14)), 1_009);
  const huge = Buffer.from([
    0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0,
  ]);
  assert.equal(await closedBy(node, huge), 1_009);
});

test('64 fragments make a frame, 100,000 of one byte do not', async (t) => {
  const node = await SocketNode.start(t);
  const raw = await RawSocket.send(node.origin, 'api');
  const text = PING.padEnd(64, ' ');
  for (let i = 0; i < 64; i++) {
    const opcode = i === 0 ? OPCODES.text : OPCODES.continuation;
    raw.write(clientFrame(opcode, text.slice(i, i + 1), { final: i === 63 }));
  }
  while (!raw.bytes.includes('"pong"')) await new Promise(setImmediate);
  raw.socket.destroy();
  const first = clientFrame(OPCODES.text, ' ', { final: false });
  const more = clientFrame(OPCODES.continuation, ' ', { final: false });
  const flood = Buffer.concat([first, ...Array.from({ length: 99_999 }, () => more)]);
  assert.equal(await closedBy(node, flood), 1_008);
});

test('fragments count together against the size of a frame', async (t) => {
  const node = await SocketNode.start(t);
  const half = Buffer.alloc(40_000, ' ');
  const first = clientFrame(OPCODES.text, half, { final: false });
  assert.equal(await closedBy(node, first, clientFrame(OPCODES.continuation, half)), 1_009);
});

test('pings are answered within the rate; a flood of them ends the connection', async (t) => {
  const node = await SocketNode.start(t);
  const raw = await RawSocket.send(node.origin, 'events');
  raw.write(clientFrame(OPCODES.ping, 'abc'));
  while (!raw.bytes.includes(Buffer.from([0x8a, 3, 97, 98, 99]))) await new Promise(setImmediate);
  raw.socket.destroy();
  const ping = clientFrame(OPCODES.ping, 'x'.repeat(125));
  assert.equal(await closedBy(node, ...Array.from({ length: 20_000 }, () => ping)), 1_008);
  const pong = clientFrame(OPCODES.pong, '');
  assert.equal(await closedBy(node, ...Array.from({ length: 20_000 }, () => pong)), 1_008);
});

test('frames full of values are refused, and the connection goes on', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  for (const text of [
    `[${'1,'.repeat(32_000)}1]`,
    `[${'{},'.repeat(21_000)}1]`,
    `"${'\\n'.repeat(32_000)}"`,
    `{${Array.from({ length: 6_500 }, (_, index) => `"k${index}":1`).join(',')}}`,
    '['.repeat(65_536),
  ]) {
    for (let i = 0; i < 10; i++) client.webSocket.send(text);
    for (let i = 0; i < 10; i++) assert.equal(await client.errorCode(), 'bad_json');
  }
  assert.ok(await client.quiet());
});

test('what one client does to itself, another does not feel', async (t) => {
  const node = await SocketNode.start(t);
  const client = await node.open('api');
  const subscription = await client.subscribe('cuts');
  const flood = Array.from({ length: 5_000 }, () => clientFrame(OPCODES.ping, 'x'));
  const bad = await Promise.all(
    Array.from({ length: 10 }, () => RawSocket.send(node.origin, 'api')),
  );
  for (const raw of bad) raw.write(Buffer.concat(flood));
  for (let height = 1; height <= 5; height++) {
    await node.chain.step();
    const { data } = await client.event(subscription);
    assert.equal((data['cut'] as { height: number }).height, height);
  }
  for (const raw of bad) assert.equal(await raw.closeCode(), 1_008);
});
