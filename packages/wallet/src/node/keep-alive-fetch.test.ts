import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { keepAliveFetch } from './keep-alive-fetch.ts';

const KEPT_MILLIS = 600_000;

async function serve(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const sockets = new Set<Socket>();
  // However busy the machine is, no connection is given up between two requests.
  const server = createServer({ keepAliveTimeout: KEPT_MILLIS }, answer);
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const http = keepAliveFetch();
  t.after(() => {
    http.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, sockets, ...http };
}

async function textOf({ body }: Response): Promise<string> {
  let text = '';
  for await (const part of body ?? []) text += Buffer.from(part).toString('utf8');
  return text;
}

test('requests share a connection, and bring status, headers and body', async (t) => {
  const { fetch, sockets, url } = await serve(t, (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      response.statusCode = request.method === 'POST' ? 202 : 200;
      response.setHeader('x-name', 'value');
      response.end(`${request.method} ${request.url} ${body}`);
    });
  });
  const read = await fetch(`${url}/a?b=1`, { headers: { accept: 'application/json' } });
  assert.deepEqual([read.status, read.headers.get('x-name')], [200, 'value']);
  assert.equal(await textOf(read), 'GET /a?b=1 ');
  const written = await fetch(`${url}/c`, { method: 'POST', body: '{"wire":"ü"}' });
  assert.deepEqual([written.status, await textOf(written)], [202, 'POST /c {"wire":"ü"}']);
  assert.equal(sockets.size, 1);
});

test('a body of bytes comes as it is, over either client', async (t) => {
  const taken: { type: string | undefined; length: string | undefined; body: Buffer }[] = [];
  const { fetch, url } = await serve(t, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { 'content-length': length, 'content-type': type } = request.headers;
      taken.push({ type, length, body: Buffer.concat(parts) });
      // Plain connections do not know the form of the second answer.
      if (taken.length === 2) response.write('a');
      response.end('b');
    });
  });
  const body = Uint8Array.from({ length: 70_000 }, (_, at) => at);
  const headers = { 'content-type': 'application/x' };
  for (let times = 0; times < 3; times++) {
    await fetch(`${url}/v1/address/balances`, { method: 'POST', headers, body });
  }
  assert.equal(taken.length, 4, 'the second was asked for again');
  for (const each of taken) {
    assert.deepEqual([each.type, each.length], ['application/x', '70000']);
    assert.ok(each.body.equals(body));
  }
});

test('a read on a connection that the node has closed is sent again, and a submission is not', async (t) => {
  let requests = 0;
  const { fetch, sockets, url } = await serve(t, (request, response) => {
    requests++;
    // Every second request on a connection meets a node that has just closed it.
    if (requests % 2 === 0) request.socket.destroy();
    else response.end('answer');
  });
  await fetch(url);
  assert.equal(await textOf(await fetch(url)), 'answer');
  assert.deepEqual([requests, sockets.size], [3, 2]);
  const post = { method: 'POST', body: '{}' };
  const read = `${url}/prefix/v1/staking/positions`;
  assert.equal(await textOf(await fetch(read, post)), 'answer');
  assert.equal(requests, 5);
  for (const path of ['/v1/transactions', '/v1/transactions/batch']) {
    await assert.rejects(fetch(`${url}${path}`, post), { code: 'ECONNRESET' });
    await fetch(url);
  }
  assert.equal(requests, 9);
});

test('a node that is not there is told by the name that the system has for it', async (t) => {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const http = keepAliveFetch();
  t.after(() => http.close());
  await assert.rejects(http.fetch(`http://127.0.0.1:${port}/`), { code: 'ECONNREFUSED' });
});

test('a request ends when its caller wants no answer any more', async (t) => {
  const { fetch, url } = await serve(t, () => {});
  const caller = new AbortController();
  const asked = fetch(url, { signal: caller.signal });
  caller.abort();
  await assert.rejects(asked, { name: 'AbortError' });
});

/** A node that answers each request on a connection with the next of some texts, in pieces of so many bytes. */
async function answering(t: TestContext, texts: readonly string[], pieceBytes = 1 << 20) {
  const heard: string[] = [];
  let next = 0;
  const server = createTcpServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {});
    const answer = async (text: string): Promise<void> => {
      const bytes = Buffer.from(text, 'utf8');
      for (let at = 0; at < bytes.length && !socket.destroyed; at += pieceBytes) {
        socket.write(bytes.subarray(at, at + pieceBytes));
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (/^connection: close/im.test(text)) socket.end();
    };
    socket.on('data', (some: Buffer) => {
      heard.push(some.toString('utf8'));
      void answer(texts[next++] ?? '');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const http = keepAliveFetch();
  t.after(() => {
    http.close();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard, ...http };
}

const USUAL = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\nX-Name:  a b \r\n\r\nanswer';

test('an answer is read in however many pieces it comes', async (t) => {
  for (const pieceBytes of [1, 7, 30, 1_000]) {
    const { fetch, heard, url } = await answering(t, [USUAL, USUAL], pieceBytes);
    for (const path of ['/a', '/b']) {
      const read = await fetch(`${url}${path}`, { headers: { accept: 'text/plain' } });
      assert.deepEqual([read.status, read.headers.get('x-name')], [200, 'a b']);
      assert.equal(await textOf(read), 'answer');
    }
    const { host } = new URL(url);
    const head = `HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\naccept: text/plain`;
    assert.deepEqual(heard, [`GET /a ${head}\r\n\r\n`, `GET /b ${head}\r\n\r\n`]);
  }
});

test('answers of another form are read by the client of the platform, from then on', async (t) => {
  const chunked =
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nans\r\n3\r\nwer\r\n0\r\n\r\n';
  const unusual = [
    chunked,
    'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nanswer',
    `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${USUAL}`,
    'HTTP/1.1 200 OK\r\ncontent-length: 6\r\nset-cookie: a\r\nset-cookie: b\r\n\r\nanswer',
  ];
  for (const text of unusual) {
    const { fetch, heard, url } = await answering(t, [text, text, USUAL]);
    assert.equal(await textOf(await fetch(url)), 'answer');
    // The request was sent again, in the platform's words, and the next one is in those at once.
    assert.deepEqual([heard.length, await textOf(await fetch(url))], [2, 'answer']);
    assert.match(heard[2] ?? '', /^GET \/ HTTP\/1\.1\r\nHost: /);
  }
});

test('a submission that is answered in another form is not sent again', async (t) => {
  const { fetch, heard, url } = await answering(t, [
    'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nanswer',
  ]);
  const submit = fetch(`${url}/v1/transactions/batch`, { method: 'POST', body: '{}' });
  await assert.rejects(submit, /unusual form/);
  assert.equal(heard.length, 1);
});

test('an answer that nobody asked for, or longer than it says, is not taken for the next one', async (t) => {
  const { fetch, heard, url } = await answering(t, [`${USUAL}${USUAL}`, USUAL, USUAL]);
  assert.equal(await textOf(await fetch(url)), 'answer');
  assert.equal(await textOf(await fetch(url)), 'answer');
  assert.equal(heard.length, 3, 'what came with another answer behind it is asked for again');
});

test('a connection that the node does not keep is not used again', async (t) => {
  const texts = ['connection: close', 'connection: keep-alive\r\nkeep-alive: timeout=1'].map(
    (header) => USUAL.replace('\r\nX-Name', `\r\n${header}\r\nX-Name`),
  );
  const { fetch, sockets, url } = await serve(t, (_request, response) => {
    response.socket?.end(texts[sockets.size - 1] ?? USUAL);
  });
  for (let connections = 1; connections <= 3; connections++) {
    assert.equal(await textOf(await fetch(url)), 'answer');
    assert.equal(sockets.size, connections);
  }
});
