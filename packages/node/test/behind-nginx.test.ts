/**
 * A node behind the real nginx, with the configuration of the page on proxies. Clients have addresses of their own on
 * loopback.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { type ErrorDocument, SOCKET_ENDPOINTS } from 'svc-api';
import { ManualClock, until } from 'svc-base/testing';
import { WebSocket } from 'ws';
import { openApi } from '../src/compose/front.ts';
import { ServicesFixture } from '../src/testing/services-fixture.ts';
import { type Nginx, nginxProgram, startNginx } from './nginx.ts';

const NAME = 'node.example';
const [GREEDY, OTHER] = ['127.0.0.2', '127.0.0.3'];
/** Below the connections that a client may have at the same time. */
const CALLS = 40;
const program = nginxProgram();
const skip = program === undefined ? 'nginx is not installed: passed over' : false;

interface Call {
  readonly from?: string;
  readonly host?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

describe('a node behind nginx', { skip }, () => {
  const closing = new AsyncDisposableStack();
  let services: ServicesFixture;
  let nginx: Nginx;

  before(async () => {
    const clock = new ManualClock();
    services = await ServicesFixture.create({ clock });
    closing.defer(() => services.close());
    const config = {
      bind: { host: '127.0.0.1', port: 0 },
      isPublic: true,
      publicNames: [NAME],
      browserOrigins: [],
      trustedProxies: ['127.0.0.1'],
      ui: false,
    };
    const { http } = await openApi({ services, config, clock }, closing);
    nginx = await startNginx(program as string, http.port);
    closing.defer(() => nginx.stop());
  });

  after(() => closing.disposeAsync());

  const connection = (from: string) => ({
    host: '127.0.0.1',
    port: nginx.port,
    localAddress: from,
    ca: nginx.certificate,
    servername: 'localhost',
    agent: false as const,
  });

  async function send(path: string, { from = OTHER, host = NAME, headers, body }: Call = {}) {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const asked = request({
      ...connection(from),
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { host, ...type, ...headers },
    });
    asked.on('error', () => {});
    asked.end(body);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: response.statusCode, text: await text(response) };
  }

  const askForMuch = (headers: Record<string, string> = {}) =>
    send('/v1/cuts?limit=100', { from: GREEDY, headers });

  /** Asks until the budget is empty. The clock of the node stands still, so that nothing is filled up again. */
  async function untilRefused(): Promise<string> {
    let refusal: string | undefined;
    await until(async () => {
      const answers = await Promise.all(Array.from({ length: CALLS }, () => askForMuch()));
      refusal = answers.find(({ status }) => status === 429)?.text;
      return refusal !== undefined;
    }, 'a client that asks for too much to be refused');
    return refusal ?? '';
  }

  test('is read over TLS', async () => {
    const { status, text: body } = await send('/v1/chain/head');
    assert.equal(status, 200, body);
    assert.equal(JSON.parse(body).network, 'development');
  });

  test('serves sockets over TLS', async (t) => {
    const { path, subprotocol } = SOCKET_ENDPOINTS.events;
    const socket = new WebSocket(`wss://127.0.0.1:${nginx.port}${path}`, subprotocol, {
      ca: nginx.certificate,
      headers: { host: NAME },
    });
    t.after(() => socket.terminate());
    const frames: string[] = [];
    socket.on('message', (data: Buffer) => frames.push(data.toString()));
    await until(() => frames.length > 0, 'the head');
    await services.chain.runTo(services.chain.head.height + 1);
    const { cutId } = services.chain.head;
    await until(() => frames.some((frame) => frame.includes(cutId)), 'the next cut');
  });

  test('limits a client and no other, whatever it says of itself', async () => {
    const refused = await untilRefused();
    assert.equal((JSON.parse(refused) as ErrorDocument).error.code, 'too_many_requests');
    assert.equal((await send('/v1/chain/head')).status, 200);
    assert.equal((await askForMuch({ 'x-forwarded-for': '203.0.113.9' })).status, 429);
  });

  test('is spared bodies that it would refuse', async () => {
    const body = JSON.stringify({ transaction_hex: '00'.repeat(100_000) });
    assert.equal((await send('/v1/transactions', { body })).status, 413);
  });

  test('answers to its own names only', async () => {
    const { status, text: body } = await send('/v1/chain/head', { host: 'other.example' });
    assert.equal(status, 403, body);
    assert.equal((JSON.parse(body) as ErrorDocument).error.code, 'host_not_allowed');
  });
});
