import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WebSocket } from 'ws';
import { type CutStreamEvent, createClient } from '../src/index.ts';
import { type ScriptedAnswer, startServer } from './scripted-server.ts';

const ID = 'ab'.repeat(48);
const soon = {
  sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 5)),
  random: () => 0,
};

function cut(height: number) {
  return { height, cut_id: ID, state_root: ID, validator_set_id: ID };
}

function send(socket: WebSocket, type: string, data: object): void {
  socket.send(JSON.stringify({ type, data }));
}

async function take(stream: AsyncGenerator<CutStreamEvent>, count: number): Promise<string[]> {
  const taken: string[] = [];
  for await (const event of stream) {
    if (event.type === 'checkpoint') taken.push(`head ${event.cut.height}`);
    else if (event.type === 'cut_finalized') taken.push(`cut ${event.data.cut.height}`);
    else taken.push(event.type === 'resync' ? event.reason : event.type);
    if (taken.length === count) break;
  }
  return taken;
}

const nothing = (): ScriptedAnswer => ({ status: 404, body: {} });

test('cuts continue after the last one given when the connection breaks, without repeating any', async (t) => {
  const targets: string[] = [];
  const server = await startServer(t, nothing, (socket, target, count) => {
    targets.push(target);
    send(socket, 'checkpoint', { api_version: 1, cut: cut(count === 1 ? 10 : 12) });
    if (count === 1) {
      send(socket, 'cut_finalized', { cut: cut(11) });
      socket.close();
      return;
    }
    for (const height of [11, 12, 13]) send(socket, 'cut_finalized', { cut: cut(height) });
  });
  const client = createClient({ url: server.url, retry: soon });
  assert.deepEqual(await take(client.cutEvents(), 6), [
    'head 10',
    'cut 11',
    'disconnected',
    'head 12',
    'cut 12',
    'cut 13',
  ]);
  assert.deepEqual(targets, ['/v1/events', '/v1/events?after_height=11']);
});

for (const network of ['development', 'mainnet'] as const)
  test(`a lower head after a reconnect, on ${network}`, async (t) => {
    const isReverted = network === 'development';
    const targets: string[] = [];
    const server = await startServer(
      t,
      ({ target }) => ({ body: target === '/v1/chain/head' ? { network, cut: cut(8) } : {} }),
      (socket, target, count) => {
        targets.push(target);
        send(socket, 'checkpoint', { api_version: 1, cut: cut(count === 1 ? 10 : 8) });
        if (count === 1) {
          send(socket, 'cut_finalized', { cut: cut(11) });
          socket.close();
        } else send(socket, 'cut_finalized', { cut: cut(isReverted ? 9 : 12) });
      },
    );
    const client = createClient({ url: server.url, retry: soon });
    const before = ['head 10', 'cut 11', 'disconnected'];
    const [expected, next] = isReverted
      ? [
          ['reverted', 'disconnected', 'head 8', 'cut 9'],
          ['11', '8'],
        ]
      : [['head 8', 'cut 12'], ['11']];
    const all = [...before, ...expected];
    assert.deepEqual(await take(client.cutEvents(), all.length), all);
    assert.deepEqual(
      targets.slice(1),
      next.map((height) => `/v1/events?after_height=${height}`),
    );
  });

test('a replay that does not reach, and a gap, ask for a resync and continue from the head', async (t) => {
  const targets: string[] = [];
  const server = await startServer(t, nothing, (socket, target, count) => {
    targets.push(target);
    if (count === 1) {
      send(socket, 'resync_required', { reason: 'history_unavailable' });
      socket.close();
    } else if (count === 2) {
      send(socket, 'checkpoint', { cut: cut(50) });
      send(socket, 'cut_finalized', { cut: cut(52) });
    } else {
      send(socket, 'checkpoint', { cut: cut(52) });
    }
  });
  const client = createClient({ url: server.url, retry: soon });
  assert.deepEqual(await take(client.cutEvents({ afterHeight: 3 }), 6), [
    'history_unavailable',
    'disconnected',
    'head 50',
    'gap',
    'disconnected',
    'head 52',
  ]);
  assert.deepEqual(targets, ['/v1/events?after_height=3', '/v1/events', '/v1/events']);
});

test('a server that speaks something else is left, and an end by the caller is quick', async (t) => {
  let connections = 0;
  const server = await startServer(t, nothing, (socket) => {
    connections++;
    socket.send(connections === 1 ? 'hello' : Buffer.from([1, 2]));
  });
  const ending = new AbortController();
  const client = createClient({ url: server.url, retry: soon });
  const seen = await take(client.cutEvents({ signal: ending.signal }), 2);
  assert.deepEqual(seen, ['disconnected', 'disconnected']);
  const stream = client.cutEvents({ signal: ending.signal });
  setTimeout(() => ending.abort(), 30);
  for await (const event of stream) assert.equal(event.type, 'disconnected');
});

test('subscriptions are made anew after a reconnect, and each is asked to read again', async (t) => {
  const frames: string[] = [];
  const left = Promise.withResolvers<void>();
  const server = await startServer(t, nothing, (socket, _, count) => {
    socket.on('message', (text) => {
      const { type, data } = JSON.parse((text as Buffer).toString('utf8')) as {
        type: string;
        data: { id: number; topic: string };
      };
      frames.push(`${count} ${type} ${data.topic ?? ''}`);
      if (type === 'unsubscribe') left.resolve();
      if (type !== 'subscribe') return;
      if (data.topic === 'rates') {
        send(socket, 'error', { id: data.id, code: 'topic_not_offered', message: 'no' });
        return;
      }
      send(socket, 'subscribed', { id: data.id, subscription: 9, topic: data.topic });
      send(socket, 'notification', {
        subscription: 9,
        event: { type: 'mempool_tx_seen', data: { count } },
      });
      if (count === 1) socket.close();
      else send(socket, 'resync_required', { subscription: 9, reason: 'stream_lagged' });
    });
  });
  const client = createClient({ url: server.url, retry: soon });
  const socket = client.openSocket();
  t.after(() => socket.close());
  const seen: string[] = [];
  await new Promise<void>((resolve) => {
    socket.subscribe(
      { topic: 'rates' },
      { onEvent: () => {}, onRefused: (code) => void seen.push(code) },
    );
    const end = socket.subscribe(
      { topic: 'addresses', addresses: ['a'] },
      {
        onEvent: ({ type }) => void seen.push(type),
        onResync: (reason) => {
          seen.push(reason);
          if (reason !== 'stream_lagged') return;
          end();
          resolve();
        },
      },
    );
  });
  await left.promise;
  assert.deepEqual(
    seen.filter((each) => each !== 'topic_not_offered'),
    ['subscribed', 'mempool_tx_seen', 'subscribed', 'mempool_tx_seen', 'stream_lagged'],
  );
  assert.ok(seen.includes('topic_not_offered'));
  assert.ok(frames.includes('2 unsubscribe '));
});

test('followed addresses: every change once, in order, and a height only when all below it was reported', async (t) => {
  let head = 5;
  const all = [2, 4, 5, 6, 8].map((finalized_height) => ({
    address: `a${finalized_height % 3}`,
    finalized_height,
  }));
  const server = await startServer(
    t,
    ({ body }) => {
      const { addresses, after_height, cursor } = JSON.parse(body) as {
        addresses: string[];
        after_height: number;
        cursor?: string;
      };
      const found = all.filter(
        ({ address, finalized_height }) =>
          addresses.includes(address) &&
          finalized_height > after_height &&
          finalized_height <= head,
      );
      const at = Number(cursor ?? 0);
      const next = at + 1 < found.length ? { next_cursor: String(at + 1) } : {};
      return {
        body: { api_version: 1, indexed_height: head, changes: found.slice(at, at + 1), ...next },
      };
    },
    (socket) => {
      send(socket, 'checkpoint', { cut: cut(head) });
      setTimeout(() => {
        head = 8;
        for (const height of [6, 7, 8]) send(socket, 'cut_finalized', { cut: cut(height) });
      }, 30);
    },
  );
  const ending = new AbortController();
  const told: (number | string)[] = [];
  await createClient({ url: server.url, retry: soon }).followAddresses({
    addresses: ['a0', 'a1', 'a2'],
    afterHeight: 2,
    onChange: ({ finalized_height }) => void told.push(finalized_height),
    onHeight: (height) => {
      told.push(`height ${height}`);
      if (height === 8) ending.abort();
    },
    signal: ending.signal,
  });
  assert.deepEqual(told, [4, 5, 'height 5', 6, 8, 'height 8']);
});
