import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { WebSocket } from 'ws';
import { CALLS_IN_FLIGHT_MAX } from '../src/daemon/rpc-socket.ts';
import { digestOf, newToken } from '../src/file/token.ts';
import { TokenStore, tokensPath } from '../src/file/token-store.ts';
import { startDaemon, TestSocket } from './testing/daemon.ts';
import { until } from './testing/open-wallet.ts';
import { silentNode } from './testing/silent-node.ts';

const NOWHERE = 'http://127.0.0.1:1';
/** Who does not read answers no pings either, and a busy machine may keep it so for longer than the daemon waits for one. */
const NEVER_MILLIS = 2 ** 31 - 1;
const ENDED_WITHOUT_A_WORD = 1006;
const POLICY_VIOLATION = 1008;

await init();

test('a reader that falls behind loses events, is told so, and costs the daemon no memory', async (t) => {
  const daemon = await startDaemon({
    directory: temporaryDirectory(t),
    service: NOWHERE,
    pingMillis: NEVER_MILLIS,
  });
  t.after(() => daemon.close());
  const { wallet } = daemon.running;
  const [slow, quick] = [await daemon.socket(), await daemon.socket()];
  for (const socket of [slow, quick]) {
    await socket.call('subscribe', { events: ['settled', 'resync_required'] });
  }
  const tell = (count: number): void => {
    const made = wallet.state.database.transaction(() =>
      Array.from({ length: count }, () =>
        wallet.state.events.add('settled', 1, { text: 'x'.repeat(2_000) }),
      ),
    );
    for (const event of made) wallet.events.emit(event);
  };
  slow.pause();
  for (let round = 0; round < 40; round++) {
    tell(200);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until('the quick one has all or was told', () => {
    const last = quick.notifications.at(-1)?.params['sequence'];
    return last === wallet.state.events.last() || quick.of('resync_required').length > 0;
  });
  slow.resume();
  await until('told with an event that comes once it reads again', () => {
    if (slow.of('resync_required').length > 0) return true;
    tell(1);
    return false;
  });
  assert.equal(slow.of('resync_required')[0]?.params['reason'], 'stream_lagged');
  assert.ok(slow.of('settled').length < 8_000, `${slow.of('settled').length} events`);
  const missed = wallet.state.events.last() - 5;
  const again = await daemon.socket();
  await again.call('subscribe', { events: ['settled'], after_sequence: missed });
  await until('replayed', () => again.of('settled').length === 5);
  for (const socket of [slow, quick, again]) socket.close();
});

test('connections of a revoked token are closed: idle ones with the next ping, and while events are repeated', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const daemon = await startDaemon({ directory: temporaryDirectory(t), service: NOWHERE });
  t.after(() => daemon.close());
  const store = new TokenStore(tokensPath(daemon.file));
  const [idle, eager] = await Promise.all(
    ['idle', 'eager'].map((name) => {
      const token = newToken();
      const record = { name, scopes: ['read'] as const, limits: null, createdAtMillis: 1 };
      store.create({ ...record, digest: digestOf(token) });
      return TestSocket.open(daemon.url, token);
    }),
  );
  const { state } = daemon.running.wallet;
  state.database.transaction(() => {
    for (let at = 0; at < 4_000; at++) state.events.add('settled', 1, {});
  });
  const closed = eager?.closed();
  await eager?.call('subscribe', { events: ['settled'], after_sequence: 0 });
  store.revoke('eager');
  assert.equal(await closed, POLICY_VIOLATION);
  assert.ok((eager?.of('settled').length ?? 0) < 4_000);
  const ended = idle?.closed();
  t.mock.timers.tick(30_000);
  assert.equal((await idle?.call('status', {}))?.error, undefined, 'a valid token stays');
  store.revoke('idle');
  t.mock.timers.tick(30_000);
  assert.equal(await ended, POLICY_VIOLATION);
});

test('a connection whose peer answers no ping is ended', async (t) => {
  const directory = temporaryDirectory(t);
  const daemon = await startDaemon({ directory, service: NOWHERE, pingMillis: 20 });
  t.after(() => daemon.close());
  const headers = { authorization: `Bearer ${daemon.token}` };
  const url = `${daemon.url.replace('http', 'ws')}/v1/ws`;
  const silent = new WebSocket(url, { headers, autoPong: false });
  const [code] = (await once(silent, 'close')) as [number];
  assert.equal(code, ENDED_WITHOUT_A_WORD);
});

test('calls beyond the most that one connection may have under way are told when to repeat, and no other loses its answer', async (t) => {
  const node = await silentNode();
  t.after(() => node.close());
  const daemon = await startDaemon({
    ...{ directory: temporaryDirectory(t), service: node.url },
    requestTimeoutMillis: NEVER_MILLIS,
  });
  t.after(() => daemon.close());
  const socket = await daemon.socket();
  const cut = socket.closed().then((code) => assert.fail(`the connection was closed with ${code}`));
  cut.catch(() => {});
  const early = Array.from({ length: CALLS_IN_FLIGHT_MAX }, () => socket.call('positions', {}));
  for (let i = 0; i < 3; i++) {
    const { error } = await Promise.race([socket.call('status', {}), cut]);
    assert.deepEqual(
      [error?.code, error?.data['kind'], error?.data['retry'], error?.data['retry_after_millis']],
      [-32003, 'busy', 'later', 1_000],
    );
  }
  const both = await Promise.race([socket.batch(['status', 'status']), cut]);
  assert.deepEqual(
    both.map(({ error }) => error?.data['kind']),
    ['busy', 'busy'],
  );
  node.close();
  for (const { error } of await Promise.race([Promise.all(early), cut]))
    assert.equal(error?.data['kind'], 'node_unreachable');
  assert.equal((await socket.call('status', {})).error, undefined, 'there is room again');
});

test('a daemon ends although its node takes calls and answers none', async (t) => {
  const node = await silentNode();
  t.after(() => node.close());
  const daemon = await startDaemon({
    ...{ directory: temporaryDirectory(t), service: node.url },
    requestTimeoutMillis: NEVER_MILLIS,
  });
  await until('it waits for the node', () => node.waiting > 0);
  await daemon.close();
  await until('nothing is asked any more', () => node.waiting === 0);
});
