/** Requests as bytes: what is not plain HTTP/1.1, and what is, but not in its one form. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { until } from 'svc-base/testing';
import { REQUESTS_AHEAD_MAX } from '../../../serve/src/http/requests/pipeline-queue.ts';
import { HttpNode } from './testing/http-node.ts';
import { RawClient, rawExchange, readAnswer } from './testing/raw-client.ts';
import { story } from './testing/story.ts';
import { useStoryNode } from './testing/story-node.ts';

const HOST = 'Host: localhost\r\n';
const CLOSE = 'Connection: close\r\n';

function searches(from: number, to: number): string {
  const request = (height: number) => `GET /v1/search?q=${height} HTTP/1.1\r\n${HOST}\r\n`;
  return Array.from({ length: to - from }, (_, index) => request(from + index)).join('');
}

function queriesIn(text: string): number[] {
  return [...text.matchAll(/"query":"([0-9]+)"/g)].map(([, query]) => Number(query));
}

suite('raw requests', () => {
  const use = useStoryNode();
  const send = (request: string | Uint8Array) => rawExchange(use.node.port, request);
  const codeOf = (body: string): string => JSON.parse(body).error.code;

  test('two lengths, a length and chunks, a bare line feed, spaces in names: refused and closed', async () => {
    const post = `POST /v1/address/balances HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;
    const requests = [
      `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
      `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
      `${post}Content-Length: +2\r\n\r\n{}`,
      `${post}Content-Length: 0x2\r\n\r\n{}`,
      `${post}Content-Length: -1\r\n\r\n{}`,
      `GET /v1/chain/head HTTP/1.1\nHost: localhost\n\n`,
      `GET /v1/chain/head HTTP/1.1\r\nHost : localhost\r\n\r\n`,
      `GET /v1/chain/head HTTP/1.1\r\n${HOST} folded: x\r\n\r\n`,
      `GET /v1/chain/head HTTP/1.1\r\n${HOST}Bad\u0000Name: x\r\n\r\n`,
      `GET /v1/chain/head HTTP/1.1\r\n${HOST}X: a\u0000b\r\n\r\n`,
      `GET /v1/chain\u0000head HTTP/1.1\r\n${HOST}\r\n`,
      `GET /v1/chain/head HTTP/2.0\r\n${HOST}${CLOSE}\r\n`,
      `GET /v1/chain/head\r\n\r\n`,
      'nonsense\r\n\r\n',
      `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
    ];
    for (const request of requests) {
      const { status, body, head } = await send(request);
      assert.equal(status, 400, JSON.stringify(request));
      assert.equal(codeOf(body), 'bad_request', JSON.stringify(request));
      assert.match(head, /connection: close/i);
    }
  });

  test('chunks may have short extensions, which say nothing, and no long ones', async () => {
    const post = `POST /v1/address/balances HTTP/1.1\r\n${HOST}${CLOSE}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const body = JSON.stringify({ api_version: 1, addresses: [use.story.services.chain.text(0)] });
    const chunked = (extension: string) =>
      send(`${post}${body.length.toString(16)}${extension}\r\n${body}\r\n0\r\n\r\n`);
    const plain = await chunked('');
    assert.equal(plain.status, 200);
    assert.equal((await chunked(';name=value')).body, plain.body);
    const long = await chunked(`;name=${'x'.repeat(20_000)}`);
    assert.deepEqual([long.status, codeOf(long.body)], [413, 'body_too_large']);
  });

  test('a client that expects 100-continue is told to go on, or is refused without its body', async () => {
    const body = JSON.stringify({ api_version: 1, addresses: [use.story.services.chain.text(0)] });
    const expecting = `Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const client = await RawClient.open(use.node.port);
    client.write(`POST /v1/address/balances HTTP/1.1\r\n${HOST}${CLOSE}${expecting}\r\n`);
    await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    client.write(body);
    assert.match(await client.untilClosed(), /Continue\r\n\r\nHTTP\/1\.1 200 /);
    for (const [target, host, status] of [
      ['/v1/nothing', HOST, 404],
      ['/v1/address/balances', 'Host: evil.example\r\n', 403],
    ] as const) {
      const refused = await send(`POST ${target} HTTP/1.1\r\n${host}${CLOSE}${expecting}\r\n`);
      assert.equal(refused.status, status, 'the first answer is the refusal');
      assert.equal(typeof codeOf(refused.body), 'string');
    }
  });

  test('every other expectation is refused with the error document', async () => {
    const request = `GET /v1/chain/head HTTP/1.1\r\n${HOST}${CLOSE}Expect: miracles\r\n\r\n`;
    const { status, body } = await send(request);
    assert.deepEqual([status, codeOf(body)], [417, 'bad_request']);
  });

  test('nothing is hidden behind a request that is refused', async () => {
    const smuggled = `GET /v1/node/status HTTP/1.1\r\n${HOST}\r\n`;
    const client = await RawClient.open(use.node.port);
    client.write(
      `POST /v1/address/balances HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: ${smuggled.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    );
    const text = await client.untilClosed();
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1);
  });

  test('targets that are not a plain path are refused', async () => {
    const targets = [
      'http://localhost/v1/chain/head',
      'http://evil.example/v1/chain/head',
      '*',
      'v1/chain/head',
      '//v1/chain/head',
      '/v1//chain/head',
      '/v1/chain/head/',
      '/v1/./chain/head',
      '/v1/../v1/chain/head',
      '/v1/%2e%2e/v1/chain/head',
      '/v1/chain%2fhead',
      '/v1/chain/hea%64',
      '/v1/chain/head%00',
      '/v1/chain/head;x=1',
      '/v1/chain/head#x',
      '/v1/chain/head?%zz=1',
      '/v1/search?q=%ff',
      '/v1/search?q',
      '/v1/search?=x',
      '/v1/search?q=1&',
      '/v1/search?Q=1',
      '/v1\\chain\\head',
      `/v1/${'a'.repeat(4_000)}`,
      `/v1/search?q=${'a'.repeat(4_000)}`,
    ];
    for (const target of targets) {
      const { status, body } = await send(`GET ${target} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
      assert.equal(status, 400, target);
      assert.ok(['bad_target', 'bad_request'].includes(codeOf(body)), `${target}: ${body}`);
    }
    const long = await send(`GET /v1/cuts/${'1'.repeat(200)} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
    assert.equal(long.status, 400);
  });

  test('queries are strict: unknown names, names of other routes, any query where none belongs', async () => {
    for (const target of [
      '/v1/cuts?offset=1',
      '/v1/chain/head?x=1',
      '/v1/chain/head?',
      '/health?x=1',
      '/v1/transactions/recent?cursor=AAAA',
    ]) {
      const { status, body } = await send(`GET ${target} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
      assert.equal(status, 400, target);
      assert.equal(codeOf(body), 'unknown_field', target);
    }
  });

  test('Host is there, once', async () => {
    const none = await send(`GET /v1/chain/head HTTP/1.1\r\n${CLOSE}\r\n`);
    assert.equal(none.status, 400);
    const old = await send('GET /v1/chain/head HTTP/1.0\r\n\r\n');
    assert.deepEqual([old.status, codeOf(old.body)], [403, 'host_not_allowed']);
    const two = await send(
      `GET /v1/chain/head HTTP/1.1\r\n${HOST}host: evil.example\r\n${CLOSE}\r\n`,
    );
    assert.deepEqual([two.status, codeOf(two.body)], [400, 'bad_request']);
  });

  test('headers beyond 16 KiB are refused', async () => {
    const header = (size: number) => `X-Padding: ${'a'.repeat(size)}\r\n`;
    const over = await send(`GET /health HTTP/1.1\r\n${HOST}${header(17_000)}\r\n`);
    assert.deepEqual([over.status, codeOf(over.body)], [431, 'headers_too_large']);
    const fine = await send(`GET /health HTTP/1.1\r\n${HOST}${header(15_000)}${CLOSE}\r\n`);
    assert.equal(fine.status, 200);
  });

  test('other methods are told which ones there are', async () => {
    const cases: [string, string, number, RegExp | undefined][] = [
      ['POST', '/v1/chain/head', 405, /allow: GET, HEAD/i],
      ['DELETE', '/v1/chain/head', 405, /allow: GET, HEAD/i],
      ['PUT', '/v1/transactions', 405, /allow: POST/i],
      ['GET', '/v1/transactions', 405, /allow: POST/i],
      ['TRACE', '/v1/chain/head', 405, /allow: GET, HEAD/i],
      ['PATCH', '/', 405, /allow: GET, HEAD/i],
      ['PROPFIND', '/v1/cuts/1', 405, /allow: GET, HEAD/i],
      ['OPTIONS', '/v1/cuts/1', 405, /allow: GET, HEAD/i],
      ['TRACE', '/nothing', 404, undefined],
    ];
    for (const [method, target, status, allow] of cases) {
      const received = await send(`${method} ${target} HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
      assert.equal(received.status, status, `${method} ${target}`);
      if (allow !== undefined) assert.match(received.head, allow);
      assert.doesNotMatch(received.body, /TRACE .* HTTP/, 'the request is not sent back');
    }
    const connect = await send(`CONNECT localhost:80 HTTP/1.1\r\n${HOST}\r\n`);
    assert.ok(Number.isNaN(connect.status) || connect.status >= 400);
  });

  test('a body for a route that is not there is not read, whatever it is', async () => {
    for (const type of ['application/json', 'text/plain', 'x/y']) {
      for (const body of ['{}', '{', '\u0000']) {
        const head = `${HOST}${CLOSE}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
        const missing = await send(`POST /nothing HTTP/1.1\r\n${head}${body}`);
        assert.deepEqual([missing.status, codeOf(missing.body)], [404, 'unknown_route'], type);
        const other = await send(`POST /v1/chain/head HTTP/1.1\r\n${head}${body}`);
        assert.deepEqual([other.status, codeOf(other.body)], [405, 'method_not_allowed'], type);
      }
    }
  });

  test('HEAD answers as GET does, without the body', async () => {
    const head = await send(`HEAD /v1/chain/head HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
    const get = await send(`GET /v1/chain/head HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
    assert.equal(head.status, 200);
    assert.equal(head.body, '');
    const length = /content-length: ([0-9]+)/i.exec(head.head)?.[1];
    assert.equal(Number(length), get.body.length);
    const missing = await send(`HEAD /nothing HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
    assert.deepEqual([missing.status, missing.body], [404, '']);
  });

  test('[CONV-02] bodies are JSON in UTF-8, not compressed', async () => {
    const post = (headers: string, body: string | Uint8Array) => {
      const bytes = Buffer.from(body as string, 'latin1');
      const head = `POST /v1/address/balances HTTP/1.1\r\n${HOST}${CLOSE}${headers}Content-Length: ${bytes.length}\r\n\r\n`;
      return send(Buffer.concat([Buffer.from(head, 'latin1'), bytes]));
    };
    const body = JSON.stringify({ api_version: 1, addresses: [use.story.services.chain.text(0)] });
    const types = [
      '',
      'Content-Type: text/plain\r\n',
      'Content-Type: application/x-www-form-urlencoded\r\n',
      'Content-Type: multipart/form-data; boundary=x\r\n',
      'Content-Type: application/json; charset=latin1\r\n',
      'Content-Type: application/jsonp\r\n',
      'Content-Type: application/json, text/plain\r\n',
    ];
    for (const type of types) {
      const received = await post(type, body);
      assert.deepEqual(
        [received.status, codeOf(received.body)],
        [415, 'unsupported_media_type'],
        type,
      );
    }
    for (const type of [
      'Content-Type: application/json\r\n',
      'content-type: Application/JSON; charset=UTF-8\r\n',
    ]) {
      assert.equal((await post(type, body)).status, 200, type);
    }
    const json = 'Content-Type: application/json\r\n';
    const zipped = await post(
      `${json}Content-Encoding: gzip\r\n`,
      gzipSync(body).toString('latin1'),
    );
    assert.deepEqual([zipped.status, codeOf(zipped.body)], [415, 'unsupported_media_type']);
    const invalid = await post(json, '{"api_version":1,"addresses":["\xff\xfe"]}');
    assert.deepEqual([invalid.status, codeOf(invalid.body)], [400, 'bad_json']);
    const marked = await post(json, `\xef\xbb\xbf${body}`);
    assert.deepEqual([marked.status, codeOf(marked.body)], [400, 'bad_json']);
    const none = await post(json, '');
    assert.equal(none.status, 400);
    const answer = await send(
      `GET /v1/chain/head HTTP/1.1\r\n${HOST}${CLOSE}Accept-Encoding: gzip, br\r\n\r\n`,
    );
    assert.doesNotMatch(answer.head, /content-encoding/i);
  });

  test('a GET has no body', async () => {
    for (const body of [
      'Content-Length: 2\r\n\r\n{}',
      'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    ]) {
      const { status } = await send(`GET /v1/chain/head HTTP/1.1\r\n${HOST}${CLOSE}${body}`);
      assert.equal(status, 400);
    }
  });

  test('a thousand requests of a connection are answered in order, a hundred at a time, and none beyond', async (t) => {
    const { services } = use.story;
    const node = await HttpNode.start(t, { timeouts: { keepAlive: 60_000 } }, services);
    const client = await RawClient.open(node.port);
    for (let from = 0; from < 1_100; from += 100) {
      client.write(searches(from, from + 100));
      if (from < 1_000) await client.until(new RegExp(`"query":"${from + 99}"`));
    }
    client.socket.end();
    const asked = queriesIn(await client.untilClosed());
    assert.deepEqual(
      asked,
      Array.from({ length: 1_000 }, (_, index) => index),
    );
  });

  test('requests far ahead of their answers are refused with the error document, and the connection ends', async (t) => {
    const { services } = use.story;
    const node = await HttpNode.start(t, { timeouts: { keepAlive: 60_000 } }, services);
    const client = await RawClient.open(node.port);
    client.write(searches(0, 500));
    const text = await client.untilClosed();
    const asked = queriesIn(text);
    assert.ok(asked.length > REQUESTS_AHEAD_MAX && asked.length < 500, `${asked.length} answers`);
    assert.deepEqual(
      asked,
      asked.map((_, index) => index),
    );
    const { head, body } = readAnswer(text.slice(text.lastIndexOf('HTTP/1.1')));
    assert.match(head, /^HTTP\/1\.1 429 .*\r\nconnection: close/is);
    assert.match(body, /"code":"too_many_requests"/);
  });

  test('half-closed connections and resets harm nobody', async () => {
    const half = await RawClient.open(use.node.port);
    half.write(`GET /v1/chain/head HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
    half.socket.end();
    assert.equal(readAnswer(await half.untilClosed()).status, 200);
    const broken = await RawClient.open(use.node.port);
    broken.write(
      `POST /v1/transactions HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    );
    broken.socket.resetAndDestroy();
    assert.equal((await use.node.get('/health')).status, 200);
  });
});

suite('slow clients', () => {
  test('headers and bodies that do not arrive in time are ended', async (t) => {
    const node = await HttpNode.start(t, {
      timeouts: { headers: 200, request: 400, checkingInterval: 50 },
    });
    const { server } = node.server;
    assert.deepEqual([server.headersTimeout, server.requestTimeout], [200, 400]);
    const head = await RawClient.open(node.port);
    head.write(`GET /health HTTP/1.1\r\n${HOST}`);
    const body = await RawClient.open(node.port);
    body.write(
      `POST /v1/transactions HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    );
    // After what has arrived was read: who writes into a connection that was closed loses an answer that is not read yet.
    const dripInto = (client: RawClient, text: string): void => {
      if (client.socket.writable && client.socket.bytesRead === 0) client.write(text);
    };
    const drip = setInterval(
      () =>
        setImmediate(() => {
          dripInto(head, 'x');
          dripInto(body, ' ');
        }),
      40,
    );
    const [slowHead, slowBody] = await Promise.all([head.untilClosed(), body.untilClosed()]);
    clearInterval(drip);
    assert.equal(readAnswer(slowHead).status, 408);
    assert.equal(readAnswer(slowBody).status, 408);
  });

  test('nine hundred slow connections delay nobody, and are ended', async (t) => {
    const node = await HttpNode.start(t, {
      timeouts: { headers: 3_600_000, request: 3_600_000, checkingInterval: 100 },
    });
    const slow = await Promise.all(
      Array.from({ length: 900 }, async () => {
        const client = await RawClient.open(node.port);
        client.write(`GET /health HTTP/1.1\r\n${HOST}X-Slow: `);
        return client;
      }),
    );
    for (let count = 0; count < 20; count++)
      assert.equal((await node.get('/v1/chain/head')).status, 200);
    assert.ok(
      slow.every(({ socket }) => socket.writable),
      'others are answered while all of them are open',
    );
    for (const client of slow) client.write('x');
    node.server.server.headersTimeout = 200;
    const answers = await Promise.all(slow.map((client) => client.untilClosed()));
    assert.ok(answers.every((text) => readAnswer(text).status === 408));
  });

  test('a connection that sends nothing is ended too', async (t) => {
    const node = await HttpNode.start(t, {
      timeouts: { headers: 200, request: 400, checkingInterval: 50 },
    });
    const silent = await RawClient.open(node.port);
    await silent.untilClosed();
  });

  test('a client that does not read its answer is ended', async (t) => {
    const { services } = await story();
    const node = await HttpNode.start(t, { timeouts: { stuck: 300, keepAlive: 60_000 } }, services);
    const client = await RawClient.open(node.port);
    client.socket.pause();
    const request = `GET /v1/cuts/0/changes?limit=4096 HTTP/1.1\r\n${HOST}\r\n`;
    client.write(request.repeat(40));
    const connections = () =>
      new Promise<number>((resolve) =>
        node.server.server.getConnections((_, count) => resolve(count)),
      );
    await until(async () => (await connections()) === 0, 'the end of the connection');
    client.socket.destroy();
  });

  test('the times are five seconds for headers, ten for a request, five between requests', async (t) => {
    const { server } = (await HttpNode.start(t)).server;
    assert.equal(server.headersTimeout, 5_000);
    assert.equal(server.requestTimeout, 10_000);
    assert.equal(server.keepAliveTimeout, 5_000);
    assert.equal(server.maxRequestsPerSocket, 1_000);
  });

  test('close ends though clients hang on and no other limit ends them', async (t) => {
    const node = await HttpNode.start(t, {
      timeouts: { headers: 3_600_000, request: 3_600_000, keepAlive: 3_600_000 },
    });
    const idle = await RawClient.open(node.port);
    const busy = await RawClient.open(node.port);
    busy.write(
      `POST /v1/transactions HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    );
    await node.get('/health');
    await Promise.all([node.server.close(), node.server.close()]);
    await Promise.all([idle.untilClosed(), busy.untilClosed()]);
  });
});
