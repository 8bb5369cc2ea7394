/**
 * A daemon whose connections are all taken: whoever comes next is answered, and served once there is a place again.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { selfSigned } from 'svc-base/node';
import { passedVariables, temporaryDirectory, until } from 'svc-base/testing';
import { createWalletClient, WalletRpcError } from 'svc-client';
import { init } from 'svc-wasm';
import { WebSocket } from 'ws';
import type { Crowd, Ends } from './testing/crowd-process.ts';
import { startDaemon, TestSocket } from './testing/daemon.ts';
import { idle, Squatters } from './testing/squatters.ts';

/** Nobody listens there: the daemon answers without its node. */
const NOWHERE = 'http://127.0.0.1:1';
const CONNECTIONS_MAX = 3;
const CALLERS = 64;
const STATUS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'status', params: {} });

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly code: unknown;
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  const { error } = JSON.parse(Buffer.concat(parts).toString()) as { error?: { code: unknown } };
  const { 'retry-after': retryAfter } = response.headers;
  const status = response.statusCode ?? 0;
  return { status, retryAfter, code: error?.code };
}

/** Posts over a connection of its own. Rejects if the connection is reset. */
function post(url: string, token: string, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = request(`${url}/v1/rpc`, { method: 'POST', agent: false, headers }, (response) =>
      resolve(answerOf(response)),
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function upgrade(url: string, token: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/ws`, { headers });
    socket.on('unexpected-response', (_, response) => resolve(answerOf(response)));
    socket.on('open', () => reject(new Error('the socket was accepted')));
    socket.on('error', reject);
  });
}

test('beyond the limit every connection is answered busy and none is reset; a place that comes free is given out again', async (t) => {
  await init();
  const directory = temporaryDirectory(t);
  const limits = { connectionsMax: CONNECTIONS_MAX };
  const daemon = await startDaemon({ directory, service: NOWHERE, ...limits });
  t.after(() => daemon.close());
  const { token, url } = daemon;
  const held: TestSocket[] = [];
  while (held.length < CONNECTIONS_MAX) held.push(await TestSocket.open(url, token));

  const long = STATUS.padEnd(100_000);
  const busy = { status: 503, retryAfter: '1', code: 'busy' };
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, (_, at) =>
      at % 4 === 0 ? upgrade(url, token) : post(url, token, at % 4 === 1 ? long : STATUS),
    ),
  );
  for (const answer of answers) assert.deepEqual(answer, busy);
  const client = createWalletClient({ url, token });
  await assert.rejects(
    client.call('status', {}),
    (error) => error instanceof WalletRpcError && error.retry === 'same_request_id',
  );

  assert.equal((await held[1]?.call('status', {}))?.error, undefined, 'the others are served on');
  held[0]?.close();
  await until(async () => (await post(url, token, STATUS)).status === 200, 'a place is free');
  for (const socket of held) socket.close();
});

test('connections that show no token take no place from calls that do', async (t) => {
  await init();
  const directory = temporaryDirectory(t);
  const limits = { connectionsMax: CONNECTIONS_MAX };
  const daemon = await startDaemon({ directory, service: NOWHERE, ...limits });
  t.after(() => daemon.close());
  const squatters = new Squatters(daemon.url, 40);
  t.after(() => squatters.close());
  await until(() => squatters.connected >= 40, 'they are there');
  for (let i = 0; i < 10; i++)
    assert.equal((await post(daemon.url, daemon.token, STATUS)).status, 200);
  const socket = await TestSocket.open(daemon.url, daemon.token);
  assert.equal((await socket.call('status', {})).error, undefined);
  assert.equal((await fetch(`${daemon.url}/health`)).status, 200);
  socket.close();
});

test('where no more connections may be open, the oldest without a token makes room, and none with one', async (t) => {
  await init();
  const directory = temporaryDirectory(t);
  const limits = { connectionsMax: CONNECTIONS_MAX, strangersMax: 4 };
  const daemon = await startDaemon({ directory, service: NOWHERE, ...limits });
  t.after(() => daemon.close());
  const { token, url } = daemon;
  const known = await TestSocket.open(url, token);
  const all: Awaited<ReturnType<typeof idle>>[] = [];
  while (all.length < CONNECTIONS_MAX - 1 + 4) all.push(await idle(url));
  t.after(() => all.map(({ socket }) => socket.destroy()));
  assert.equal((await post(url, token, STATUS)).status, 200);
  await all[0]?.closed;
  all.push(await idle(url), await idle(url));
  await all[1]?.closed;
  assert.equal((await known.call('status', {})).error, undefined, 'it was not cut');
  known.close();
});

test('connections that never speak TLS make room as well', async (t) => {
  await init();
  const directory = temporaryDirectory(t);
  const { cert, key } = selfSigned();
  const certificateFiles = { certificate: join(directory, 'crt'), key: join(directory, 'key') };
  writeFileSync(certificateFiles.certificate, cert);
  writeFileSync(certificateFiles.key, key, { mode: 0o600 });
  const limits = { connectionsMax: CONNECTIONS_MAX, strangersMax: 1 };
  const daemon = await startDaemon({ directory, service: NOWHERE, certificateFiles, ...limits });
  t.after(() => daemon.close());
  const { token, url } = daemon;
  const all: Awaited<ReturnType<typeof idle>>[] = [];
  while (all.length < CONNECTIONS_MAX + 1) all.push(await idle(url));
  t.after(() => all.map(({ socket }) => socket.destroy()));
  const { port } = new URL(url);
  const headers = {
    ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    'content-length': STATUS.length,
  };
  const answer = await new Promise<Answer>((resolve, reject) => {
    const options = { method: 'POST', agent: false, ca: cert, port, headers } as const;
    const sent = requestOverTls(`${url}/v1/rpc`, options, (response) =>
      resolve(answerOf(response)),
    );
    sent.once('error', reject).end(STATUS);
  });
  assert.equal(answer.status, 200);
  await all[0]?.closed;
});

/** Nothing is cut because a machine is slow. */
const PATIENT = { headersMillisMax: 600_000 };

/** How calls end that one program makes at once, each on a connection of its own. */
async function crowd(given: Crowd): Promise<Ends> {
  const program = new URL('./testing/crowd-process.ts', import.meta.url);
  const child = fork(program, { execArgv: [], env: passedVariables() });
  try {
    child.send(given);
    const [ends] = (await once(child, 'message')) as [Ends];
    return ends;
  } finally {
    child.disconnect();
  }
}

test('a program that opens 1,000 or 1,500 connections at once gets an answer on each: its result, or when to repeat', async (t) => {
  await init();
  const directory = temporaryDirectory(t);
  const daemon = await startDaemon({ directory, service: NOWHERE, ...PATIENT });
  t.after(() => daemon.close());
  const { token, url } = daemon;
  for (const calls of [1_000, 1_500]) {
    const { '200': served = 0, ...others } = await crowd({ url, token, calls });
    assert.deepEqual(others, { '503 busy after 1': calls - served });
    assert.ok(served >= 256, `${served} were served`);
  }
});
