/**
 * Several wallets at one port: what the listener in front passes on, and the processes behind it.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, before, suite, type TestContext, test } from 'node:test';
import { temporaryDirectory, until } from 'svc-base/testing';
import { createWalletClient, WalletRpcError } from 'svc-client';
import { init } from 'svc-wasm';
import { Front, type ServedWallet } from '../src/daemons/front.ts';
import { initWallet } from '../src/file/init-wallet.ts';
import { readToken } from '../src/file/token.ts';
import { readHolder } from '../src/state/holder.ts';
import { holderPath } from '../src/state/open-state.ts';
import { CHEAP, startDaemon, type TestDaemon, TestSocket } from './testing/daemon.ts';
import { Squatters } from './testing/squatters.ts';
import { WalletProcess } from './testing/svc-wallet.ts';

/** Nobody listens there: the daemons answer without their node. */
const NOWHERE = 'http://127.0.0.1:1';
const STATUS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'status', params: {} });

const LOCAL = { host: '127.0.0.1', port: 0, isRemote: false, hostNames: [] };

async function frontOf(
  t: TestContext,
  wallets: readonly ServedWallet[],
  limits: { connectionsMax?: number } = {},
): Promise<Front> {
  const front = await Front.listen({ ...LOCAL, ...limits }, wallets);
  t.after(() => front.close());
  return front;
}

/** Something in the place of a daemon that takes connections and does what it is told with each. */
async function impostor(t: TestContext, take: (server: Server) => void): Promise<string> {
  const server = createServer();
  take(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Answer {
  readonly status: number;
  readonly code: unknown;
  readonly retryAfter: string | undefined;
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  const { error } = (await json(response)) as { error?: { code: unknown } };
  const { 'retry-after': retryAfter } = response.headers;
  return { status: response.statusCode ?? 0, code: error?.code, retryAfter };
}

/** Posts a call over a connection of its own. */
function post(url: string, headers: Record<string, string>, body = STATUS): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const given = { 'content-type': 'application/json', ...headers };
    const options = { method: 'POST', agent: false, headers: given };
    const sent = request(`${url}/v1/rpc`, options, (response) => resolve(answerOf(response)));
    sent.on('error', reject);
    sent.end(body);
  });
}

const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });

suite('a listener in front of several wallets', () => {
  let hot: TestDaemon;
  let cold: TestDaemon;
  const ends: (() => void)[] = [];

  before(async () => {
    await init();
    const context = { after: (end: () => void) => void ends.push(end) };
    const start = () => startDaemon({ directory: temporaryDirectory(context), service: NOWHERE });
    [hot, cold] = await Promise.all([start(), start()]);
  });

  after(async () => {
    await Promise.all([hot.close(), cold.close()]);
    for (const end of ends) end();
  });

  test('a token opens its own wallet, by calls and by socket, and no other', async (t) => {
    const front = await frontOf(t, [
      { name: 'hot', url: hot.url },
      { name: 'cold', url: cold.url },
    ]);
    for (const [name, own, other] of [
      ['hot', hot, cold],
      ['cold', cold, hot],
    ] as const) {
      const url = `${front.url}/wallets/${name}`;
      const { fingerprint } = await own.call('status', {});
      const client = createWalletClient({ url: `${url}/`, token: own.token });
      assert.equal((await client.call('status', {})).fingerprint, fingerprint);
      const socket = await TestSocket.open(url, own.token);
      assert.equal((await socket.call('status', {})).result?.['fingerprint'], fingerprint);
      socket.close();
      assert.deepEqual(
        await post(url, bearer(other)),
        { status: 401, code: 'unauthorized', retryAfter: undefined },
        'the token of another wallet',
      );
      await assert.rejects(TestSocket.open(url, other.token), /401/);
      assert.equal(await (await fetch(`${url}/health`)).text(), 'ok');
    }
  });

  test('it answers what concerns no wallet itself, and passes on no more than callers need', async (t) => {
    const front = await frontOf(t, [{ name: 'hot', url: hot.url }]);
    const url = `${front.url}/wallets/hot`;
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(`${front.url}${path}`)).status;
    for (const path of ['/wallets/cold/health', '/wallets/hot', '/v1/rpc', '/openrpc.json'])
      assert.equal(await statusOf(path), 404, path);
    assert.equal(await statusOf(`/wallets/hot/v1/proof/${'00'.repeat(32)}`), 404, 'the proof');
    assert.equal(await statusOf('/wallets/hot/openrpc.json'), 200);
    assert.equal(await statusOf('/health'), 200);
    const own = bearer(hot);
    const codeOf = async (...given: Parameters<typeof post>): Promise<unknown> =>
      (await post(...given)).code;
    assert.equal(await codeOf(url, { ...own, origin: 'http://a.example' }), 'origin_not_allowed');
    assert.equal(await codeOf(url, { ...own, host: 'a.example' }), 'host_not_allowed');
    assert.equal(await codeOf(url, own, STATUS.padEnd(200_000)), 'body_too_large');
    const form = { 'content-type': 'text/plain' };
    assert.equal(await codeOf(url, { ...own, ...form }), 'unsupported_media_type');
    await assert.rejects(TestSocket.open(`${front.url}/wallets/cold`, hot.token), /404/);
  });

  test('a wallet that does not run, or that ends within a call, is said to be stopped', async (t) => {
    const url = await impostor(t, (server) =>
      server.on('connection', (socket) => socket.on('data', () => socket.destroy())),
    );
    const front = await frontOf(t, [
      { name: 'hot', url: hot.url },
      { name: 'stopped', url: null },
      { name: 'ending', url },
    ]);
    const stopped = { status: 503, code: 'wallet_stopped', retryAfter: '1' };
    for (const name of ['stopped', 'ending']) {
      const place = `${front.url}/wallets/${name}`;
      assert.deepEqual(await post(place, bearer(hot)), stopped);
      await assert.rejects(TestSocket.open(place, hot.token));
      await assert.rejects(
        createWalletClient({ url: place, token: hot.token }).call('status', {}),
        (error) => error instanceof WalletRpcError && error.retry === 'same_request_id',
      );
    }
    assert.equal((await post(`${front.url}/wallets/hot`, bearer(hot))).status, 200);
  });

  test('a wallet that answers nobody takes its own places and none of another wallet', async (t) => {
    let taken = 0;
    const url = await impostor(t, (server) => {
      server.on('connection', (socket) => {
        socket.on('error', () => {}).once('data', () => taken++);
        t.after(() => socket.destroy());
      });
    });
    const front = await frontOf(t, [
      { name: 'hot', url: hot.url },
      { name: 'silent', url },
    ]);
    const place = `${front.url}/wallets/silent`;
    const waiting = Array.from({ length: 192 }, () => post(place, bearer(hot)).catch(() => {}));
    await until(() => taken === waiting.length, 'all places are taken');
    const busy = { status: 503, code: 'busy', retryAfter: '1' };
    assert.deepEqual(await post(place, bearer(hot)), busy);
    assert.equal((await post(`${front.url}/wallets/hot`, bearer(hot))).status, 200);
  });

  test('connections without a token take no place from calls and sockets that have one', async (t) => {
    const wallets = [{ name: 'hot', url: hot.url }];
    const front = await frontOf(t, wallets, { connectionsMax: 3 });
    const url = `${front.url}/wallets/hot`;
    const squatters = new Squatters(front.url, 40);
    t.after(() => squatters.close());
    await until(() => squatters.connected >= 40, 'they are there');
    for (let i = 0; i < 10; i++) assert.equal((await post(url, bearer(hot))).status, 200);
    const socket = await TestSocket.open(url, hot.token);
    const other = await TestSocket.open(url, hot.token);
    const last = await TestSocket.open(url, hot.token);
    assert.equal((await post(url, bearer(hot))).code, 'busy', 'three have a place');
    assert.equal((await post(url, {})).code, 'busy', 'who has no place is not passed on');
    for (const one of [socket, other, last]) one.close();
    await until(async () => (await post(url, bearer(hot))).status === 200, 'a place is free');
  });

  test('calls of a wallet that does not run take no place from those of another', async (t) => {
    const wallets = [
      { name: 'hot', url: hot.url },
      { name: 'stopped', url: null },
    ];
    const front = await frontOf(t, wallets, { connectionsMax: 2 });
    const { port } = new URL(front.url);
    for (let calls = 0; calls < 3; calls++) {
      const socket = connect({ port: Number(port), host: '127.0.0.1' });
      t.after(() => socket.destroy());
      const head = ['POST /wallets/stopped/v1/rpc HTTP/1.1', `host: 127.0.0.1:${port}`];
      socket.write(`${[...head, 'content-length: 2'].join('\r\n')}\r\n\r\n{}`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      assert.match(answer.toString(), /^HTTP\/1\.1 503 [\s\S]*wallet_stopped/);
    }
    assert.equal((await post(`${front.url}/wallets/hot`, bearer(hot))).status, 200);
  });

  test('a refused socket whose caller does not let go of it is closed', async (t) => {
    const front = await frontOf(t, [{ name: 'hot', url: hot.url }]);
    const { port } = new URL(front.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    t.after(() => socket.destroy());
    const head = [
      ...['GET /wallets/hot/v1/ws HTTP/1.1', `host: 127.0.0.1:${port}`, 'connection: upgrade'],
      ...['upgrade: websocket', 'sec-websocket-version: 13', 'authorization: Bearer wrong'],
      'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 401 /);
    await once(socket, 'end');
    const reset = once(socket, 'error');
    const asking = setInterval(() => socket.write('x'), 10);
    t.after(() => clearInterval(asking));
    await reset;
  });

  test('a body that never comes to a route that takes none holds no request', async (t) => {
    const front = await frontOf(t, [{ name: 'hot', url: hot.url }]);
    const { port } = new URL(front.url);
    for (const line of ['POST /wallets/hot/health', 'PUT /wallets/hot/v1/rpc']) {
      const socket = connect(Number(port), '127.0.0.1');
      t.after(() => socket.destroy());
      const head = [`${line} HTTP/1.1`, `host: 127.0.0.1:${port}`, 'content-length: 5'];
      const type = 'content-type: application/json';
      socket.write(`${[...head, type].join('\r\n')}\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      assert.match(answer.toString(), /^HTTP\/1\.1 404 /);
    }
  });
});

interface Told {
  readonly name: string;
  readonly url: string;
  readonly running: boolean;
  readonly token_file: string | null;
  readonly pid: number | null;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('one of several wallets ends alone, comes back, and all end together', async (t) => {
  await init();
  const directory = temporaryDirectory(t);
  const make = async (name: string): Promise<void> => {
    const more = { password: null, nowMillis: Date.now(), cost: CHEAP } as const;
    await initWallet({ path: join(directory, name), network: 'development', ...more });
  };
  await make('hot');
  const wallets = ['--wallet', 'hot=hot', '--wallet', 'late=late', '--set', 'hot:confirmations=3'];
  const words = ['--port', '0', '--json', '--service', NOWHERE, '--gap', '5'];
  const served = new WalletProcess(['daemons', ...wallets, ...words], {
    directory,
    environment: { SVC_JOURNAL_COPY: join(directory, 'of-all.journal') },
  });
  t.after(() => served.child.kill('SIGKILL'));
  const facts = JSON.parse(await served.line()) as { wallets: Told[]; pid: number };
  assert.equal(facts.pid, served.child.pid);
  const [hot, late] = facts.wallets as [Told, Told];
  assert.deepEqual([hot.running, late.running], [true, false]);
  assert.match(served.stderr, /"wallet":"late".*does not exist/);
  assert.match(served.stderr, /"wallet":"late".*the wallet has stopped/);
  const call = ({ name, url }: Told) => {
    const token = readToken(join(directory, `${name}.token`));
    return createWalletClient({ url, token }).call('status', {});
  };
  const pidOf = ({ name }: Told) => readHolder(holderPath(join(directory, name)))?.pid ?? 0;
  assert.equal((await call(hot)).confirmations, 3, 'a setting is for its wallet');
  assert.equal(pidOf(hot), hot.pid, 'commands find the daemon');

  await make('late');
  served.child.kill('SIGHUP');
  const isServed = (wallet: Told): Promise<boolean> =>
    call(wallet).then(
      () => true,
      () => false,
    );
  await until(() => isServed(late), 'a wallet that was mended is started by SIGHUP');
  assert.equal((await call(late)).confirmations, 1);
  const first = pidOf(late);
  process.kill(first, 'SIGKILL');
  await until(() => !isAlive(first), 'the daemon is gone');
  await call(hot);
  await until(() => isServed(late), 'a wallet that died is started again');
  assert.equal(pidOf(hot), hot.pid, 'the other was not touched');
  assert.equal(existsSync(join(directory, 'of-all.journal')), false, 'each has files of its own');

  const pids = [pidOf(hot), pidOf(late)];
  served.child.kill('SIGTERM');
  assert.equal((await served.end()).code, 0);
  for (const pid of pids) assert.equal(isAlive(pid), false);
});
