import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { type TestContext, test } from 'node:test';
import { MiningEvent } from 'svc-api';
import { Signal } from 'svc-base/pure';
import type { FinalizedCut } from 'svc-serve/ports';
import { Value } from 'typebox/value';
import { WebSocket } from 'ws';
import { MiningListener } from './listener.ts';
import { createMiningKit, type MiningKit } from './testing/mining-kit.ts';
import { send } from './testing/request.ts';

const PROTOCOL = 'svc.mining-events.v1';

interface Open {
  readonly mining: MiningKit;
  readonly port: number;
}

async function open(t: TestContext): Promise<Open> {
  const mining = await createMiningKit(t);
  const listener = await MiningListener.start(mining.ports, { port: 0 });
  t.after(() => listener.close());
  return { mining, port: listener.port };
}

class Listening {
  readonly socket: WebSocket;
  readonly messages: string[] = [];

  constructor(port: number, protocol: string | string[] = PROTOCOL, headers = {}) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/v1/events`, protocol, { headers });
    this.socket.on('message', (data: Buffer) => void this.messages.push(data.toString('utf8')));
  }

  static async connect(port: number): Promise<Listening> {
    const listening = new Listening(port);
    await once(listening.socket, 'open');
    return listening;
  }

  async until(count: number): Promise<void> {
    while (this.messages.length < count) await once(this.socket, 'message');
  }

  get events(): MiningEvent[] {
    return this.messages.map((text) => JSON.parse(text) as MiningEvent);
  }
}

async function stream(port: number): Promise<{ response: IncomingMessage; text: () => string }> {
  const request = get({ host: '127.0.0.1', port, path: '/v1/events', agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  response.on('data', (part: Buffer) => {
    text += part.toString('utf8');
  });
  response.on('error', () => {});
  return { response, text: () => text };
}

test('[MINE-03] [NSOCK-28] every finalized cut is told once, to sockets and to event streams', async (t) => {
  const { mining, port } = await open(t);
  const { chain } = mining.kit;
  await chain.cut();
  const listening = await Listening.connect(port);
  assert.equal(listening.socket.protocol, PROTOCOL);
  const { response, text } = await stream(port);
  assert.equal(response.headers['content-type'], 'text/event-stream');
  await chain.cut();
  await chain.cut();
  await listening.until(2);
  const { events } = listening;
  for (const event of events) assert.ok(Value.Check(MiningEvent, event), JSON.stringify(event));
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.height, data.cut_id, data.registration_window_end]),
    chain.cuts.slice(1).map(({ height, cutId }) => ['cut_finalized', height, cutId, height + 96]),
  );
  const target = chain.economy.workTarget.toString(16).padStart(64, '0');
  assert.equal(events[1]?.data.target, target);
  while (text().split('\n\n').length < 3) await once(response, 'data');
  const expected = events.map(
    (event) => `id: ${event.data.height}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  assert.equal(text(), expected.join(''));
  assert.equal(
    mining.ports.templates.make({ payout: chain.address(1), maxTransactions: 1 })?.document.target,
    target,
  );
  mining.clock.advance(15_000);
  await once(listening.socket, 'ping');
  while (!text().endsWith(':\n\n')) await once(response, 'data');
});

test('a socket needs its subprotocol, its path and no page behind it', async (t) => {
  const { port } = await open(t);
  const refused: [number, Listening][] = [
    [400, new Listening(port, [])],
    [400, new Listening(port, 'svc.node-events.v1')],
    [403, new Listening(port, PROTOCOL, { origin: 'https://evil.example' })],
    [403, new Listening(port, PROTOCOL, { host: 'evil.example' })],
  ];
  for (const [status, { socket }] of refused) {
    const [, response] = await once(socket, 'unexpected-response');
    assert.equal((response as IncomingMessage).statusCode, status);
    socket.on('error', () => {});
    socket.terminate();
  }
  const elsewhere = new WebSocket(`ws://127.0.0.1:${port}/v1/node/sync`, PROTOCOL);
  const [, response] = await once(elsewhere, 'unexpected-response');
  assert.equal((response as IncomingMessage).statusCode, 404);
  elsewhere.on('error', () => {});
  elsewhere.terminate();
});

test('a client that speaks is disconnected', async (t) => {
  const { port } = await open(t);
  for (const [frame, code] of [
    [Buffer.of(1, 2), 1003],
    ['hello', 1008],
    ['x'.repeat(2_000), 1009],
  ] as const) {
    const { socket } = await Listening.connect(port);
    socket.send(frame);
    const [closed] = await once(socket, 'close');
    assert.equal(closed, code);
  }
});

test('no more than 64 listen at a time', async (t) => {
  const { port } = await open(t);
  const listening = await Promise.all(Array.from({ length: 63 }, () => Listening.connect(port)));
  const { response } = await stream(port);
  assert.equal((await send({ port, path: '/v1/events' })).status, 503);
  const one = new Listening(port);
  const [, refused] = await once(one.socket, 'unexpected-response');
  assert.equal((refused as IncomingMessage).statusCode, 503);
  one.socket.on('error', () => {});
  one.socket.terminate();
  response.destroy();
  for (const { socket } of listening) socket.terminate();
  for (let status = 503; status !== 200; ) {
    const next = await stream(port);
    status = next.response.statusCode ?? 0;
    next.response.destroy();
  }
});

test('whoever does not read is let go, and the others are not', async (t) => {
  const mining = await createMiningKit(t);
  const finalized = new Signal<FinalizedCut>();
  const { head, manifest, parameters } = mining.kit.chain;
  const ports = { ...mining.ports, chain: { finalized, head, manifest, parameters } };
  const listener = await MiningListener.start(ports, { port: 0 });
  t.after(() => listener.close());
  const { port } = listener;
  const [reading, silent] = [await Listening.connect(port), await Listening.connect(port)];
  const { response } = await stream(port);
  silent.socket.pause();
  response.pause();
  const cut = await mining.kit.chain.cut();
  for (let turn = 0; turn < 600 && listener.listening > 1; turn++) {
    for (let count = 0; count < 50; count++) finalized.emit(cut);
    await reading.until(50 * (turn + 1));
  }
  assert.equal(listener.listening, 1);
  assert.equal(reading.socket.readyState, WebSocket.OPEN);
  silent.socket.terminate();
  response.destroy();
});
