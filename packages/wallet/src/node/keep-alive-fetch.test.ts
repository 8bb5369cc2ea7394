import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { keepAliveFetch } from './keep-alive-fetch.ts';

async function serve(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const sockets = new Set<Socket>();
  const server = createServer(answer).on('connection', (socket) => sockets.add(socket));
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
      response.writeHead(request.method === 'POST' ? 202 : 200, { 'x-name': 'value' });
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

test('a request ends when its caller wants no answer any more', async (t) => {
  const { fetch, url } = await serve(t, () => {});
  const caller = new AbortController();
  const asked = fetch(url, { signal: caller.signal });
  caller.abort();
  await assert.rejects(asked, { name: 'AbortError' });
});
