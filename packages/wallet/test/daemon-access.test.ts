import assert from 'node:assert/strict';
import { chmodSync, rmSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Clock } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { askAsHost, temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { WebSocket } from 'ws';
import { ensureToken, tokenPath } from '../src/file/token.ts';
import { startDaemon, type TestDaemon, TestSocket } from './testing/daemon.ts';

/** Nobody listens there: the daemon answers without its node. */
const NOWHERE = 'http://127.0.0.1:1';
const HEADERS_MILLIS_MAX = 400;

let daemon: TestDaemon;
let directory: string;
let readToken: string;
/** Waits of the daemon; each takes a tenth of its time here. */
const waits: number[] = [];
const clock: Clock = {
  ...SYSTEM_CLOCK,
  after: (millis, call) => {
    waits.push(millis);
    return SYSTEM_CLOCK.after(millis / 10, call);
  },
};
const ended: (() => void)[] = [];
const context = { after: (end: () => void) => void ended.push(end) } as never;

const STATUS = { jsonrpc: '2.0', id: 1, method: 'status', params: {} };

interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

/** A request with headers that `fetch` would not let through. */
function raw(
  headers: Record<string, string>,
  { method = 'POST', path = '/v1/rpc', body = JSON.stringify(STATUS) } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${daemon.url}${path}`, { method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(parts).toString(),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(method === 'GET' ? undefined : body);
  });
}

const json = { 'content-type': 'application/json' };
const bearer = () => ({ ...json, authorization: `Bearer ${daemon.token}` });

describe('who may call the daemon', () => {
  before(async () => {
    await init();
    directory = temporaryDirectory(context);
    const readTokenFile = join(directory, 'read.token');
    const limits = { headersMillisMax: HEADERS_MILLIS_MAX };
    daemon = await startDaemon({ directory, service: NOWHERE, readTokenFile, clock, ...limits });
    readToken = ensureToken(readTokenFile);
  });

  after(async () => {
    await daemon.close();
    for (const end of ended) end();
  });

  test('[AUTH-02] every call needs the token that lies beside the wallet file', async () => {
    assert.equal(daemon.running.tokenFile, tokenPath(daemon.file));
    assert.equal(statSync(daemon.running.tokenFile).mode & 0o777, 0o600);
    assert.equal((await raw(bearer())).status, 200);
    const wrong = `${daemon.token.slice(0, -1)}${daemon.token.endsWith('0') ? '1' : '0'}`;
    for (const headers of [
      json,
      { ...json, authorization: `Bearer ${wrong}` },
      { ...json, authorization: `Basic ${daemon.token}` },
      { ...json, authorization: daemon.token },
      { ...json, authorization: 'Bearer ' },
      { ...json, cookie: `token=${daemon.token}` },
    ]) {
      const answer = await raw(headers);
      assert.equal(answer.status, 401);
      assert.ok(!answer.body.includes(daemon.token));
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
    }
  });

  test('[HTTP-02] /health needs no token, and the description neither', async () => {
    assert.deepEqual(
      await raw({}, { method: 'GET', path: '/health' }).then(({ status, body }) => [status, body]),
      [200, 'ok'],
    );
    assert.equal((await raw({}, { method: 'GET', path: '/openrpc.json' })).status, 200);
  });

  test('a token in the query is none', async () => {
    assert.equal(
      (
        await raw(json, {
          path: `/v1/rpc?token=${daemon.token}&authorization=Bearer%20${daemon.token}`,
        })
      ).status,
      401,
    );
  });

  test('a wrong token costs time, and more so when repeated', async () => {
    waits.length = 0;
    for (let i = 0; i < 3; i++) await raw({ ...json, authorization: 'Bearer no' });
    const own = waits.filter((millis) => millis % 250 === 0 && millis !== 1000 && millis !== 3000);
    assert.ok(
      own.length >= 2 && own.every((millis) => millis >= 250 && millis <= 2000),
      String(waits),
    );
    assert.deepEqual(
      own,
      own.toSorted((x, y) => x - y),
    );
  });

  test('a name that was bound to this machine is refused, own names in any case are not', async () => {
    const { port } = new URL(daemon.url);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1:1',
      `127.0.0.1.nip.io:${port}`,
      `192.168.0.1:${port}`,
      `localhost:${port}@evil.example`,
    ]) {
      const answer = await raw({ ...bearer(), host });
      assert.ok([400, 403].includes(answer.status), `${host} ${answer.status}`);
      assert.equal(answer.headers['access-control-allow-origin'], undefined);
    }
    for (const host of [
      `localhost:${port}`,
      `LOCALHOST:${port}`,
      `127.0.0.1:${port}`,
      `[::1]:${port}`,
    ]) {
      assert.equal((await raw({ ...bearer(), host })).status, 200, host);
    }
  });

  test('a web page cannot call: any Origin is refused, and no header invites it', async () => {
    const { port } = new URL(daemon.url);
    for (const origin of [
      'https://evil.example',
      'null',
      `http://127.0.0.1:${port}`,
      `http://localhost:${port}`,
    ]) {
      const answer = await raw({ ...bearer(), origin });
      assert.equal(answer.status, 403, origin);
      assert.equal(answer.headers['access-control-allow-origin'], undefined);
    }
    const preflight = await raw(
      { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      { method: 'OPTIONS' },
    );
    assert.equal(preflight.status, 403);
  });

  test('forms and other content types are refused', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      '',
    ]) {
      const headers = {
        authorization: `Bearer ${daemon.token}`,
        ...(type === '' ? {} : { 'content-type': type }),
      };
      assert.equal((await raw(headers)).status, 415, type);
    }
    assert.equal(
      (await raw({ ...bearer(), 'content-type': 'application/json; charset=utf-8' })).status,
      200,
    );
  });

  test('a call is answered the same, however its type and the length of its body are told', async () => {
    const typed = { ...bearer(), 'content-type': 'application/json; charset=utf-8' };
    const unmeasured = { ...bearer(), 'transfer-encoding': 'chunked' };
    const address = { jsonrpc: '2.0', id: 'ä', method: 'verify_address', params: {} };
    for (const body of [
      JSON.stringify(address),
      '',
      '{',
      '[]',
      '{"jsonrpc":"2.0","method":"status"}',
    ]) {
      const { headers, ...plain } = await raw(bearer(), { body });
      assert.ok([200, 204].includes(plain.status), body);
      assert.equal(headers['cache-control'], 'no-store');
      for (const others of [typed, unmeasured]) {
        const { headers: otherHeaders, ...other } = await raw(others, { body });
        assert.deepEqual(other, plain);
        for (const name of ['content-type', 'content-length', 'cache-control', 'connection']) {
          assert.equal(otherHeaders[name], headers[name], `${name} of ${body}`);
        }
      }
    }
  });

  test('the socket asks for the same: token, host, no origin, its path', async () => {
    const url = `${daemon.url.replace('http', 'ws')}/v1/ws`;
    const statusOf = (headers: Record<string, string>, target = url): Promise<number> =>
      new Promise((resolve) => {
        const socket = new WebSocket(target, { headers });
        socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
        socket.on('open', () => {
          socket.close();
          resolve(101);
        });
        socket.on('error', () => {});
      });
    const authorization = `Bearer ${daemon.token}`;
    assert.equal(await statusOf({ authorization }), 101);
    assert.equal(await statusOf({}), 401);
    assert.equal(await statusOf({}, `${url}?token=${daemon.token}`), 401);
    assert.equal(await statusOf({ authorization: 'Bearer x' }), 401);
    assert.equal(await statusOf({ authorization, origin: 'https://evil.example' }), 403);
    assert.equal(await statusOf({ authorization, host: 'evil.example' }), 403);
    assert.equal(await statusOf({ authorization }, url.replace('/v1/ws', '/v1/rpc')), 404);
  });

  test('refused upgrades leave their places to others, whatever their peers do', async () => {
    const port = Number(new URL(daemon.url).port);
    const refusedSockets = Array.from({ length: 300 }, () => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      const head = 'GET /v1/other HTTP/1.1\r\nhost: 127.0.0.1';
      socket.write(`${head}:${port}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`);
      return socket.on('error', () => {}).resume();
    });
    try {
      await Promise.all(
        refusedSockets.map(
          (socket) => new Promise((resolve) => socket.once('end', resolve).once('close', resolve)),
        ),
      );
      const { body } = await daemon.raw(STATUS);
      assert.equal(body.error, undefined);
    } finally {
      for (const socket of refusedSockets) socket.destroy();
    }
  });

  test('binary frames end a connection, and a frame too large does', async () => {
    for (const data of [Buffer.from('{}'), 'x'.repeat(200_000)]) {
      const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/v1/ws`, {
        headers: { authorization: `Bearer ${daemon.token}` },
      });
      await new Promise((resolve) => socket.once('open', resolve));
      const closed = new Promise<number>((resolve) => socket.once('close', resolve));
      socket.on('error', () => {});
      socket.send(data);
      assert.equal(await closed, typeof data === 'string' ? 1009 : 1003);
    }
  });

  test('a client that sends slowly is cut off, and others are served meanwhile', async () => {
    const { port } = new URL(daemon.url);
    const socket = connect(Number(port), '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
    const started = performance.now();
    const closed = new Promise<number>((resolve) => {
      socket.once('close', () => resolve(performance.now() - started));
    });
    socket.on('error', () => {});
    socket.write(`POST /v1/rpc HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n`);
    const drip = setInterval(() => socket.write('x'), 50);
    assert.equal((await raw(bearer())).status, 200);
    const lasted = await closed;
    clearInterval(drip);
    assert.ok(lasted >= HEADERS_MILLIS_MAX, `${lasted} ms`);
  });

  test('the body has a limit', async () => {
    assert.equal((await raw(bearer(), { body: ' '.repeat(128 * 1024 + 1) })).status, 413);
  });

  test('the token for reading reads and moves nothing', async () => {
    const call = async (method: string, params: object): Promise<number | undefined> => {
      const headers = { ...json, authorization: `Bearer ${readToken}` };
      const { body } = await raw(headers, {
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return (JSON.parse(body) as { error?: { code: number } }).error?.code;
    };
    assert.equal(await call('balance', {}), undefined);
    assert.equal(await call('received', { since_height: 0 }), undefined);
    for (const method of [
      'send',
      'sweep',
      'burn',
      'new_address',
      'rescan',
      'set_label',
      'prove_address',
      'validator_exit',
    ]) {
      assert.equal(await call(method, {}), -32000, method);
    }
    const socket = await TestSocket.open(daemon.url, readToken);
    assert.equal((await socket.call('rescan', {})).error?.data['kind'], 'read_only');
    assert.equal((await socket.call('subscribe', { events: ['finalized'] })).error, undefined);
    socket.close();
  });

  test('a daemon whose node is silent tells its status without waiting for the node', async (t) => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    t.after(() => silent.close());
    t.after(() => silent.closeAllConnections());
    const patient = await startDaemon({
      directory: temporaryDirectory(t),
      service: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      requestTimeoutMillis: 3_600_000,
    });
    t.after(() => patient.close());
    const { node_reachable, scan } = await patient.call('status', {});
    assert.deepEqual([node_reachable, scan.phase], [false, 'waiting_for_node']);
  });

  test('[RPCERR-02] without its node the daemon answers and says so', async () => {
    const status = await daemon.call('status', {});
    assert.deepEqual(
      [status.node_reachable, status.node_synced, status.scan.phase],
      [false, false, 'waiting_for_node'],
    );
    assert.equal((await daemon.call('balance', {})).balance, '0.00000000');
    const params = {
      to: 'dsvc1qx38xjcs9jqysltpznr6yse0sl4jrjxwq87ljm635n54gez9hnwejklh3vmalaea352fprr35jdrjuaryzem',
      amount: '1',
      request_id: 'a',
    };
    const sent = await daemon.raw({ jsonrpc: '2.0', id: 1, method: 'send', params });
    assert.ok([-32001, -32003].includes(sent.body.error?.code ?? 0));
    assert.equal(sent.body.error?.data['retry'], 'later');
    const validators = await daemon.raw({
      jsonrpc: '2.0',
      id: 1,
      method: 'validators',
      params: {},
    });
    assert.deepEqual(
      [validators.body.error?.code, validators.body.error?.data['kind']],
      [-32001, 'node_unreachable'],
    );
  });

  test('[WALLET-01] malformed calls get the codes of JSON-RPC', async () => {
    const cases: [unknown, number, unknown][] = [
      ['{', -32700, null],
      ['', -32700, null],
      ['[]', -32600, null],
      ['1', -32600, null],
      [{ jsonrpc: '1.0', id: 1, method: 'status' }, -32600, 1],
      [{ jsonrpc: '2.0', id: 1 }, -32600, 1],
      [{ jsonrpc: '2.0', id: {}, method: 'status' }, -32600, null],
      [{ jsonrpc: '2.0', id: 'a', method: 'status', extra: 1 }, -32600, 'a'],
      [{ jsonrpc: '2.0', id: 1, method: 'nothing' }, -32601, 1],
      [{ jsonrpc: '2.0', id: 1, method: 'toString' }, -32601, 1],
      [{ jsonrpc: '2.0', id: 1, method: '__proto__' }, -32601, 1],
      [{ jsonrpc: '2.0', id: 1, method: 'status', params: [] }, -32602, 1],
      [{ jsonrpc: '2.0', id: 1, method: 'status', params: null }, -32602, 1],
      [{ jsonrpc: '2.0', id: 1, method: 'status', params: 'x' }, -32602, 1],
      ['{"jsonrpc":"2.0","id":7,"method":"status","params":{"a":1.5}}', -32602, 7],
      ['{"jsonrpc":"2.0","id":7,"id":8,"method":"status"}', -32602, 8],
      [
        `{"jsonrpc":"2.0","id":1,"method":"status","params":${'['.repeat(40)}${']'.repeat(40)}}`,
        -32602,
        1,
      ],
      [Array.from({ length: 65 }, () => STATUS), -32600, null],
    ];
    for (const [body, code, id] of cases) {
      const answer = await daemon.raw(body);
      assert.equal(answer.status, 200);
      assert.deepEqual(
        [answer.body.error?.code, answer.body.id],
        [code, id],
        JSON.stringify(body).slice(0, 80),
      );
    }
    assert.equal((await daemon.raw({ jsonrpc: '2.0', method: 'status' })).status, 204);
    for (const id of ['a', 0, -1, null]) {
      assert.equal((await daemon.raw({ ...STATUS, id })).body.id, id);
    }
  });

  test('a daemon does not start without its files, on another network interface, or twice', async (t) => {
    const service = NOWHERE;
    await assert.rejects(startDaemon({ directory, isNew: false, service }), { fault: 'held' });
    await assert.rejects(startDaemon({ directory: temporaryDirectory(t), isNew: false, service }), {
      fault: 'missing',
    });
    const other = temporaryDirectory(t);
    await assert.rejects(startDaemon({ directory: other, service, host: '0.0.0.0' }), {
      name: 'UsageError',
    });
    chmodSync(join(other, 'wallet'), 0o644);
    await assert.rejects(startDaemon({ directory: other, isNew: false, service }), {
      fault: 'readable_by_others',
    });
    chmodSync(join(other, 'wallet'), 0o600);
    rmSync(join(other, 'wallet.password'));
    await assert.rejects(startDaemon({ directory: other, isNew: false, service }), {
      fault: 'missing',
    });
  });

  test('[AUTH-03] beyond loopback it listens only when told to, and names of hosts are still checked', async (t) => {
    const open = await startDaemon({
      directory: temporaryDirectory(t),
      service: NOWHERE,
      host: '0.0.0.0',
      isRemote: true,
      hostNames: ['Wallet.Example', '192.168.7.8', '2001:DB8::8'],
    });
    t.after(() => open.close());
    const { port } = new URL(open.url);
    const statusOf = (host: string): Promise<number> =>
      askAsHost(`http://127.0.0.1:${port}/health`, host);
    for (const host of [
      'wallet.example',
      'WALLET.example:443',
      '192.168.7.8',
      '[2001:db8::8]:443',
      `127.0.0.1:${port}`,
    ]) {
      assert.equal(await statusOf(host), 200, host);
    }
    // Plain HTTP past the proxy that speaks TLS.
    for (const host of [`192.168.7.7:${port}`, `[2001:db8::7]:${port}`, 'evil.example']) {
      assert.equal(await statusOf(host), 403, host);
    }
  });
});
