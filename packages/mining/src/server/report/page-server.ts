/**
 * A listener that answers GET for a few fixed paths and nothing else: statistics and metrics. On loopback it answers to
 * no name that a page has bound to this machine.
 */
import { createServer } from 'node:http';
import { type Listening, listenAt, namesListener } from 'svc-base/node';
import type { Bind } from '../transport.ts';

export interface Page {
  readonly contentType: string;
  text(): string;
}

const CONNECTIONS_MAX = 32;
const TIMEOUT_MILLIS = 10_000;

export async function servePages(
  bind: Bind,
  pages: Readonly<Record<string, Page>>,
): Promise<Listening> {
  const options = {
    requestTimeout: TIMEOUT_MILLIS,
    headersTimeout: TIMEOUT_MILLIS,
    maxHeaderSize: 8_192,
  };
  const server = createServer(options, (request, response) => {
    request.resume();
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    const path = (request.url ?? '').split('?')[0] ?? '';
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (!namesListener(request.headers.host, bind.host)) {
      response.writeHead(403, { 'content-type': 'text/plain' });
      response.end('the Host header names no host of this listener: call it by its address\n');
    } else if (page === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' });
      response.end(`not found: there is ${Object.keys(pages).join(', ')}\n`);
    } else if (request.method !== 'GET') {
      response.writeHead(405, { allow: 'GET' }).end();
    } else response.writeHead(200, { 'content-type': page.contentType }).end(page.text());
  });
  server.maxConnections = CONNECTIONS_MAX;
  return await listenAt(server, bind);
}
