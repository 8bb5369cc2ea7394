import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Clock, SILENT_LOG, Signal } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory, until } from 'svc-base/testing';
import type { StoredEvent } from '../state/events.ts';
import { openState, type State } from '../state/open-state.ts';
import { isWebhookUrl, signatureOf, Webhook } from './webhook.ts';

const IDENTITY = { fingerprint: '00112233aabbccdd', network: 'development' };
const SECRET = 'ab'.repeat(32);

interface Received {
  readonly sequence: number;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

type Answer = (received: Received, response: ServerResponse) => void;

const take: Answer = (_, response) => response.writeHead(204).end();

/** A receiver that checks every signature. */
class Receiver {
  readonly received: Received[] = [];
  readonly bodies: string[] = [];
  answer: Answer = take;
  url = '';

  static async open(t: TestContext): Promise<Receiver> {
    const receiver = new Receiver();
    const server = createServer((request, response) => void receiver.#hear(request, response));
    server.keepAliveTimeout = 0;
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    return receiver;
  }

  get sequences(): number[] {
    return this.received.map(({ sequence }) => sequence);
  }

  async #hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const part of request) body += String(part);
    const header = (name: string): string => String(request.headers[`x-svc-webhook-${name}`]);
    const received = JSON.parse(body) as Received;
    const isSigned = header('signature') === signatureOf(SECRET, header('timestamp'), body);
    if (!isSigned || header('sequence') !== String(received.sequence) || request.url !== '/hook') {
      response.writeHead(401).end();
      return;
    }
    this.received.push(received);
    this.bodies.push(body);
    this.answer(received, response);
  }
}

/** The daemon's part: a state, and a webhook that can be ended and begun again. */
class Sending {
  readonly state: State;
  readonly waits: number[] = [];
  readonly #events = new Signal<StoredEvent>();
  readonly #url: string;
  /** Waits are told and last no time. */
  readonly #clock: Clock = {
    ...SYSTEM_CLOCK,
    after: (millis, call) => {
      this.waits.push(millis);
      return SYSTEM_CLOCK.after(0, call);
    },
  };

  constructor(t: TestContext, url: string) {
    this.#url = url;
    this.state = openState(join(temporaryDirectory(t), 'wallet'), IDENTITY, 'test');
    t.after(() => this.state.close());
  }

  start(t: TestContext): Webhook {
    const ports = { state: this.state, events: this.#events, clock: this.#clock, log: SILENT_LOG };
    const webhook = new Webhook({ url: this.#url, secret: SECRET, timeoutMillis: 120_000 }, ports);
    webhook.start();
    t.after(() => webhook.close());
    return webhook;
  }

  happen(...heights: number[]): void {
    for (const height of heights) {
      this.#events.emit(this.state.events.add('settled', height, { request_id: `r${height}` }));
    }
  }
}

test('events come signed, in order and from the first start on', async (t) => {
  const receiver = await Receiver.open(t);
  const sending = new Sending(t, receiver.url);
  sending.happen(1);
  const webhook = sending.start(t);
  sending.happen(2, 3);
  await until(() => webhook.delivered === 2, 'two events');
  sending.happen(4);
  await until(() => webhook.delivered === 3, 'a third event');
  assert.deepEqual(receiver.sequences, [2, 3, 4]);
  assert.deepEqual(receiver.received[0], {
    ...{ api_version: 1, sequence: 2, event: 'settled' },
    data: { request_id: 'r2' },
  });
  assert.deepEqual([webhook.waiting, webhook.failed], [0, 0]);
});

test('what is not taken comes again, later each time, and nothing after it before', async (t) => {
  const receiver = await Receiver.open(t);
  const other = await Receiver.open(t);
  const sending = new Sending(t, receiver.url);
  const answers: Answer[] = [
    (_, response) => response.writeHead(500).end(),
    (_, response) => response.writeHead(302, { location: other.url }).end(),
    (_, response) => response.writeHead(307, { location: other.url }).end(),
    (_, response) => response.destroy(),
    (_, response) => response.writeHead(404).end('x'.repeat(1_000)),
  ];
  receiver.answer = (received, response) => (answers.shift() ?? take)(received, response);
  const webhook = sending.start(t);
  sending.happen(1, 2);
  await until(() => webhook.delivered === 2, 'both events');
  assert.deepEqual(receiver.sequences, [1, 1, 1, 1, 1, 1, 2]);
  assert.deepEqual(other.received, [], 'redirects are not followed');
  assert.equal(webhook.failed, 5);
  assert.deepEqual(sending.waits, [1_000, 2_000, 4_000, 8_000, 16_000]);
});

test('an end at any moment loses no event', async (t) => {
  const receiver = await Receiver.open(t);
  const sending = new Sending(t, receiver.url);
  const first = sending.start(t);
  sending.happen(1);
  await until(() => first.delivered === 1, 'the first event');
  receiver.answer = () => {};
  sending.happen(2, 3);
  await until(() => receiver.sequences.length === 2, 'the second event is on its way');
  await first.close();
  sending.happen(4);
  receiver.answer = take;
  const second = sending.start(t);
  await until(() => second.waiting === 0, 'nothing waits');
  assert.deepEqual(receiver.sequences, [1, 2, 2, 3, 4]);
  assert.deepEqual(receiver.bodies[1], receiver.bodies[2], 'a repeat is the same, byte by byte');
});

test('a restored state counts from an older number on, and repeats no body of another event', async (t) => {
  const receiver = await Receiver.open(t);
  const [lost, restored] = [new Sending(t, receiver.url), new Sending(t, receiver.url)];
  const first = lost.start(t);
  lost.happen(1, 2, 3, 4);
  await until(() => first.delivered === 4, 'all events');
  await first.close();
  const before = restored.start(t);
  await before.close();
  const second = restored.start(t);
  restored.happen(5, 6, 7, 8);
  await until(() => second.delivered === 4, 'all events of the restored state');
  assert.deepEqual(receiver.sequences, [1, 2, 3, 4, 1, 2, 3, 4]);
  // What a receiver does: it drops an event that is the last one that it took, and no other.
  const handled = receiver.bodies.filter((body, at) => body !== receiver.bodies[at - 1]);
  assert.equal(handled.length, 8);
});

test('where the log does not reach back the receiver is told, and gets the rest', async (t) => {
  const receiver = await Receiver.open(t);
  const sending = new Sending(t, receiver.url);
  await sending.start(t).close();
  sending.happen(1, 2, 3, 4);
  sending.state.events.trim(2);
  const webhook = sending.start(t);
  await until(() => webhook.waiting === 0, 'nothing waits');
  const told = receiver.received.map(({ data, event, sequence }) => [
    ...[sequence, event, data['reason'] ?? data['request_id']],
  ]);
  assert.deepEqual(told, [
    [2, 'resync_required', 'history_unavailable'],
    [3, 'settled', 'r3'],
    [4, 'settled', 'r4'],
  ]);
});

test('events leave the machine over TLS only', () => {
  for (const url of [
    'https://example.org/hook',
    'http://127.0.0.1:8/x',
    'http://localhost/',
    'http://[::1]:9/',
  ])
    assert.equal(isWebhookUrl(url), true, url);
  for (const url of [
    ...[
      'http://example.org/hook',
      'ftp://127.0.0.1/',
      'example.org',
      '',
      'http://127.0.0.1.nip.io/',
    ],
    ...['http://10.0.0.1/', 'https://user:word@example.org/'],
  ])
    assert.equal(isWebhookUrl(url), false, url);
});
