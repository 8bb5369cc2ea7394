/**
 * Several wallets at one port: what the listener in front passes on, and the processes behind it.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  request,
} from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, before, suite, type TestContext, test } from 'node:test';
import { expectNoInspector, temporaryDirectory, until } from 'svc-base/testing';
import { createWalletClient, WalletRpcError } from 'svc-client';
import { init } from 'svc-wasm';
import { type Door, Front, type ServedWallet } from '../src/daemons/front.ts';
import { initWallet } from '../src/file/init-wallet.ts';
import { readToken } from '../src/file/token.ts';
import { readHolder } from '../src/state/holder.ts';
import { holderPath, statePath } from '../src/state/open-state.ts';
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

const TOKEN = 'ab'.repeat(32);

/** Something in the place of a daemon: it finds one token valid, has no answer for others, and does what it is told with calls. */
async function standIn(t: TestContext, take: RequestListener): Promise<Door> {
  const server = createHttpServer((asked, answer) => {
    if (asked.url !== '/v1/token') take(asked, answer);
    else if (asked.headers.authorization === `Bearer ${TOKEN}`) answer.writeHead(204).end();
  });
  const socketPath = join(temporaryDirectory(t), 'socket');
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { socketPath, host: '127.0.0.1:1' };
}

const socketIn = (directory: string): string => join(directory, 'socket');

/** Where a daemon of these tests listens for the front. */
function doorOf({ file, url }: TestDaemon): Door {
  return { socketPath: socketIn(dirname(file)), host: new URL(url).host };
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
    const start = () => {
      const directory = temporaryDirectory(context);
      return startDaemon({ directory, service: NOWHERE, socketPath: socketIn(directory) });
    };
    [hot, cold] = await Promise.all([start(), start()]);
  });

  after(async () => {
    await Promise.all([hot.close(), cold.close()]);
    for (const end of ends) end();
  });

  test('a token opens its own wallet, by calls and by socket, and no other', async (t) => {
    const front = await frontOf(t, [
      { name: 'hot', door: doorOf(hot) },
      { name: 'cold', door: doorOf(cold) },
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
    const front = await frontOf(t, [{ name: 'hot', door: doorOf(hot) }]);
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
    const door = await standIn(t, ({ socket }) => socket.destroy());
    const gone = { socketPath: join(temporaryDirectory(t), 'socket'), host: '127.0.0.1:1' };
    const front = await frontOf(t, [
      { name: 'hot', door: doorOf(hot) },
      { name: 'stopped', door: null },
      { name: 'ending', door },
      { name: 'gone', door: gone },
    ]);
    const stopped = { status: 503, code: 'wallet_stopped', retryAfter: '1' };
    for (const name of ['stopped', 'ending', 'gone']) {
      const place = `${front.url}/wallets/${name}`;
      assert.deepEqual(await post(place, bearer({ token: TOKEN })), stopped);
      await assert.rejects(TestSocket.open(place, TOKEN));
      await assert.rejects(
        createWalletClient({ url: place, token: TOKEN }).call('status', {}),
        (error) => error instanceof WalletRpcError && error.retry === 'same_request_id',
      );
    }
    assert.equal((await post(`${front.url}/wallets/hot`, bearer(hot))).status, 200);
  });

  test('a wallet that answers nobody takes its own places and none of another wallet', async (t) => {
    let taken = 0;
    const door = await standIn(t, () => taken++);
    const front = await frontOf(t, [
      { name: 'hot', door: doorOf(hot) },
      { name: 'silent', door },
    ]);
    const place = `${front.url}/wallets/silent`;
    const valid = bearer({ token: TOKEN });
    const waiting = Array.from({ length: 192 }, () => post(place, valid).catch(() => {}));
    await until(() => taken === waiting.length, 'all places are taken');
    const busy = { status: 503, code: 'busy', retryAfter: '1' };
    assert.deepEqual(await post(place, valid), busy);
    assert.equal((await post(`${front.url}/wallets/hot`, bearer(hot))).status, 200);
  });

  test('connections without a token take no place from calls and sockets that have one', async (t) => {
    const wallets = [{ name: 'hot', door: doorOf(hot) }];
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
    assert.equal((await post(url, {})).code, 'unauthorized', 'who has no token is told so');
    for (const one of [socket, other, last]) one.close();
    await until(async () => (await post(url, bearer(hot))).status === 200, 'a place is free');
  });

  test('requests without a valid token keep no call and no socket out that has one', async (t) => {
    const called: (string | undefined)[] = [];
    const door = await standIn(t, ({ headers, method }, answer) => {
      if (method !== 'POST') return;
      called.push(headers.authorization);
      answer.setHeader('content-type', 'application/json').end('{}');
    });
    const wallets = [
      { name: 'hot', door: doorOf(hot) },
      { name: 'other', door },
    ];
    const front = await frontOf(t, wallets);
    const { port } = new URL(front.url);
    const say = async (text: string, socket = connect(Number(port), '127.0.0.1')) => {
      t.after(() => socket.destroy());
      await new Promise((resolve) => socket.write(text.replaceAll('\n', '\r\n'), resolve));
      return socket;
    };
    const host = `host: 127.0.0.1:${port}`;
    const length = 'content-type: application/json\ncontent-length: 2';
    const headOf = (name: string, more: string): string =>
      `POST /wallets/${name}/v1/rpc HTTP/1.1\n${host}\n${length}${more}\n\n`;
    // A token of another wallet, shown before, is none here.
    const known = `\nauthorization: Bearer ${hot.token}`;
    const callers = Array.from({ length: 4 }, () => say(`${headOf('hot', known)}{}`));
    for (const socket of await Promise.all(callers)) {
      await once(socket, 'data');
      await say(headOf('other', known), socket);
    }
    const upgrade = `${host}\nconnection: upgrade\nupgrade: websocket\nsec-websocket-version: 13`;
    const texts = [
      ...Array.from({ length: 192 }, () => headOf('other', '')),
      ...Array.from({ length: 192 }, () => `GET /wallets/other/openrpc.json HTTP/1.1\n${host}\n\n`),
      ...Array.from({ length: 128 }, () => `GET /wallets/other/v1/ws HTTP/1.1\n${upgrade}\n\n`),
    ];
    await Promise.all(texts.map((text) => say(text)));
    const place = `${front.url}/wallets/other`;
    const valid = bearer({ token: TOKEN });
    for (let i = 0; i < 10; i++) assert.equal((await post(place, valid)).status, 200);
    assert.deepEqual(called, Array(10).fill(valid.authorization));
  });

  test('calls of a wallet that does not run take no place from those of another', async (t) => {
    const wallets = [
      { name: 'hot', door: doorOf(hot) },
      { name: 'stopped', door: null },
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

  test('a connection has one exchange without a place at a time, however many requests it sends at once', async (t) => {
    const waiting: (() => void)[] = [];
    const server = createHttpServer((_, answer) => {
      waiting.push(() => answer.writeHead(401).end());
    });
    const socketPath = join(temporaryDirectory(t), 'socket');
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    t.after(() => server.close());
    const front = await frontOf(t, [{ name: 'slow', door: { socketPath, host: '127.0.0.1:1' } }]);
    const { port } = new URL(front.url);
    const socket = connect(Number(port), '127.0.0.1');
    t.after(() => socket.destroy());
    let heard = '';
    socket.on('data', (data) => {
      heard += data.toString();
    });
    const host = `host: 127.0.0.1:${port}`;
    const call = `POST /wallets/slow/v1/rpc HTTP/1.1\n${host}\ncontent-length: 2\n\n{}`;
    const health = `GET /wallets/slow/health HTTP/1.1\n${host}\n\n`;
    socket.write(`${call}${health}`.repeat(10).replaceAll('\n', '\r\n'));
    for (let answers = 0; answers < 20; answers++) {
      await until(() => waiting.length > 0, 'the daemon is asked');
      assert.equal(waiting.length, 1);
      waiting.pop()?.();
    }
    await until(() => heard.split('HTTP/1.1 401').length === 21, 'all are answered');
  });

  test('the health of a wallet that does not run takes no place away', async (t) => {
    const wallets = [
      { name: 'hot', door: doorOf(hot) },
      { name: 'stopped', door: null },
    ];
    const front = await frontOf(t, wallets, { connectionsMax: 1 });
    const { port } = new URL(front.url);
    const socket = connect(Number(port), '127.0.0.1');
    t.after(() => socket.destroy());
    const say = async (lines: readonly string[], body = ''): Promise<string> => {
      socket.write(`${[...lines, `host: 127.0.0.1:${port}`].join('\r\n')}\r\n\r\n${body}`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      return answer.toString();
    };
    const { authorization } = bearer(hot);
    const head = ['POST /wallets/hot/v1/rpc HTTP/1.1', `authorization: ${authorization}`];
    const length = ['content-type: application/json', 'content-length: 2'];
    assert.match(await say([...head, ...length], '{}'), /^HTTP\/1\.1 200 /);
    assert.match(await say(['GET /wallets/stopped/health HTTP/1.1']), /^HTTP\/1\.1 503 /);
    assert.equal((await post(`${front.url}/wallets/hot`, bearer(hot))).code, 'busy');
  });

  test('a refused socket whose caller does not let go of it is closed', async (t) => {
    const front = await frontOf(t, [{ name: 'hot', door: doorOf(hot) }]);
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
    const front = await frontOf(t, [{ name: 'hot', door: doorOf(hot) }]);
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
  for (const pid of [facts.pid, pidOf(hot)])
    await expectNoInspector({ pid, stderr: () => served.stderr });
  const first = pidOf(late);
  process.kill(first, 'SIGKILL');
  await until(() => !isAlive(first), 'the daemon is gone');
  await call(hot);
  await until(() => isServed(late), 'a wallet that died is started again');
  assert.equal(pidOf(hot), hot.pid, 'the other was not touched');
  assert.equal(existsSync(join(directory, 'of-all.journal')), false, 'each has files of its own');

  await stopByHand(t, hot, { served, directory });
  await call(late);
  served.child.kill('SIGHUP');
  await until(() => isServed(hot), 'a wallet that was stopped by hand is started by SIGHUP');

  const pids = [pidOf(hot), pidOf(late)];
  served.child.kill('SIGTERM');
  assert.equal((await served.end()).code, 0);
  for (const pid of pids) assert.equal(isAlive(pid), false);

  const again = new WalletProcess(['daemons', '--wallet', 'hot=hot', ...words], {
    directory,
    environment: { TMPDIR: directory },
  });
  await again.line();
  const last = pidOf(hot);
  again.child.kill('SIGKILL');
  const sum = `${statePath(join(directory, 'hot'))}.sum`;
  await until(() => existsSync(sum), 'a daemon whose front was killed closes in order');
  await until(() => !isAlive(last), 'a daemon whose front was killed ends');
});

/** Ends the daemon of a wallet as an operator does: it stays away, and whoever takes its port hears nothing. */
async function stopByHand(
  t: TestContext,
  { name, url }: Told,
  { directory, served }: { directory: string; served: WalletProcess },
): Promise<void> {
  const holder = readHolder(holderPath(join(directory, name)));
  const token = readToken(join(directory, `${name}.token`));
  process.kill(holder?.pid ?? 0, 'SIGTERM');
  let heard = '';
  const taken = await takePort(t, Number(new URL(holder?.url ?? '').port), (text) => {
    heard += text;
  });
  const stopped = { status: 503, code: 'wallet_stopped', retryAfter: '1' };
  assert.deepEqual(await post(url, { authorization: `Bearer ${token}` }), stopped);
  await assert.rejects(TestSocket.open(url, token), /503/);
  const ends = new RegExp(`"wallet":"${name}","code":.*(stays so until SIGHUP|starts again)`);
  await until(() => ends.test(served.stderr), 'the log tells of its end');
  assert.match(ends.exec(served.stderr)?.[0] ?? '', /"code":0,.*stays so until SIGHUP/);
  assert.equal(heard, '', 'who took its port is not spoken to');
  taken.close();
}

/** Listens at a port as soon as it is free, and answers as a daemon would. */
async function takePort(
  t: TestContext,
  port: number,
  onData: (text: string) => void,
): Promise<Server> {
  const server = createServer((socket) => {
    t.after(() => socket.destroy());
    socket
      .on('error', () => {})
      .on('data', (data) => {
        onData(data.toString());
        const body = '{"jsonrpc":"2.0","id":1,"result":{"forged":true}}';
        const type = 'content-type: application/json';
        socket.write(`HTTP/1.1 200 OK\r\n${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      });
  });
  t.after(() => server.close());
  const listens = (): Promise<boolean> =>
    new Promise((resolve) => {
      const fail = (): void => resolve(false);
      server.once('error', fail).listen(port, '127.0.0.1', () => {
        server.off('error', fail);
        resolve(true);
      });
    });
  await until(listens, 'the port is free');
  return server;
}
