/** Waiting for a transaction: the stream says when to ask, and polling continues where there is none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from 'svc-base/testing';
import { createClient } from 'svc-client';
import type { WebSocket } from 'ws';
import { startServer } from './scripted-server.ts';

const ID = 'ab'.repeat(48);
const WAITING = { lifecycle: 'pending', failure: null, finalized_cut: null };
const FINAL = { lifecycle: 'finalized', failure: null, finalized_cut: { height: 3 } };
const POLL_MILLIS = 7;

/** A sleep that ends when its signal aborts, or at once for polls when `isPolling`. */
function scriptedSleep(isPolling: boolean) {
  const waits: number[] = [];
  const sleep = (millis: number, signal?: AbortSignal): Promise<void> => {
    waits.push(millis);
    return new Promise((resolve) => {
      if (signal?.aborted === true) resolve();
      signal?.addEventListener('abort', () => resolve(), { once: true });
      if (isPolling && millis === POLL_MILLIS) setImmediate(resolve);
    });
  };
  return { waits, sleep };
}

function send(socket: WebSocket, type: string, data: object): void {
  socket.send(JSON.stringify({ type, data }));
}

test('the stream of a transaction ends the wait without a poll, and the answer is read over HTTP', async (t) => {
  let status: object = WAITING;
  const targets: string[] = [];
  const server = await startServer(
    t,
    () => ({ body: status }),
    (socket, target) => {
      targets.push(target);
      send(socket, 'snapshot', WAITING);
    },
  );
  const { sleep, waits } = scriptedSleep(false);
  const client = createClient({ url: server.url, retry: { sleep } });
  const waiting = client.waitFinal(ID, { pollMillis: POLL_MILLIS });
  await until(() => server.sockets.size === 1, 'the stream');
  status = { ...FINAL, from: 'http' };
  for (const socket of server.sockets) send(socket, 'update', FINAL);
  assert.deepEqual(await waiting, status);
  assert.equal(server.requests.length, 2);
  assert.deepEqual(targets, [`/v1/transactions/${ID}/status/stream`]);
  assert.ok(!waits.includes(POLL_MILLIS), 'it did not poll');
});

test('a stream that proved wrong is not opened again, and polling continues', async (t) => {
  let polls = 0;
  const server = await startServer(
    t,
    () => ({ body: ++polls < 6 ? WAITING : FINAL }),
    (socket) => send(socket, 'snapshot', FINAL),
  );
  const { sleep } = scriptedSleep(true);
  const client = createClient({ url: server.url, retry: { sleep } });
  assert.deepEqual(await client.waitFinal(ID, { pollMillis: POLL_MILLIS }), FINAL);
  assert.deepEqual([polls, server.sockets.size], [6, 1]);
});

test('without events of a stream the status is polled, after a few attempts alone', async (t) => {
  let polls = 0;
  const server = await startServer(t, () => ({ body: ++polls < 9 ? WAITING : FINAL }));
  const { sleep } = scriptedSleep(true);
  const client = createClient({ url: server.url, retry: { sleep } });
  assert.deepEqual(await client.waitFinal(ID, { pollMillis: POLL_MILLIS }), FINAL);
  assert.deepEqual([polls, server.sockets.size], [9, 3]);
});

for (const failure of ['conflict', 'expired'] as const)
  test(`a transaction that ends as ${failure} ends the wait once a final cut says so`, async (t) => {
    const waiting = { lifecycle: 'failed', failure, finalized_cut: null };
    const ended = { ...waiting, finalized_cut: { height: 3 } };
    let polls = 0;
    const server = await startServer(t, () => ({ body: ++polls < 4 ? waiting : ended }));
    const { sleep } = scriptedSleep(true);
    const client = createClient({ url: server.url, retry: { sleep } });
    assert.deepEqual(await client.waitFinal(ID, { pollMillis: POLL_MILLIS }), ended);
    assert.equal(polls, 4);
  });

test('a transaction that the node found invalid ends the wait', async (t) => {
  const invalid = { lifecycle: 'failed', failure: 'invalid', finalized_cut: null };
  const server = await startServer(t, () => ({ body: invalid }));
  assert.deepEqual(await createClient({ url: server.url }).waitFinal(ID), invalid);
});

test('a caller that gives up while a stream is open gets an error and leaves no socket', async (t) => {
  const server = await startServer(
    t,
    () => ({ body: WAITING }),
    (socket) => send(socket, 'snapshot', WAITING),
  );
  const { sleep } = scriptedSleep(false);
  const client = createClient({ url: server.url, retry: { sleep } });
  const ending = new AbortController();
  const waiting = client.waitFinal(ID, { signal: ending.signal });
  await until(() => server.sockets.size === 1, 'the stream');
  ending.abort();
  await assert.rejects(waiting, { kind: 'aborted' });
  await until(() => [...server.sockets].every(({ readyState }) => readyState > 1), 'its end');
});

test('reads continue with another node when the first one fails, submissions do not', async (t) => {
  const broken = await startServer(t, () => ({ lost: true }));
  const sound = await startServer(t, () => ({ body: { chain_id: 'sound' } }));
  const client = createClient({
    url: broken.url,
    furtherNodes: [{ url: sound.url }],
    retry: { retries: 0 },
  });
  assert.deepEqual(await client.chainHead(), { chain_id: 'sound' });
  await assert.rejects(client.submit({ wire_hex: '00', transaction_id: ID }), {
    kind: 'answer_lost',
  });
  await assert.rejects(client.transactionSubmit({ wire_hex: '00' }), { kind: 'answer_lost' });
  assert.deepEqual(
    sound.requests.map(({ method }) => method),
    ['GET'],
  );
  const tooMany = Array.from({ length: 8 }, () => ({ url: sound.url }));
  assert.throws(() => createClient({ url: sound.url, furtherNodes: tooMany }), RangeError);
});
