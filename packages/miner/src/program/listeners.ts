/**
 * The two listeners of the miner: `GET /v1/stats` for programs and `GET /metrics` for Prometheus. Both only read, and
 * listen on this machine alone unless the operator says otherwise.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import { listenAt, namesListener } from 'svc-base/node';
import { METRICS_CONTENT_TYPE, metricsText } from 'svc-base/pure';
import { minerMetrics } from './miner-metrics.ts';
import type { Statistics } from './statistics.ts';

export interface Bind {
  readonly host: string;
  readonly port: number;
}

export interface Listener {
  readonly address: Bind;
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 16;
const TIMEOUT_MILLIS = 10_000;

export function startStatistics(bind: Bind, statistics: Statistics): Promise<Listener> {
  return listen(bind, '/v1/stats', () => ({
    type: 'application/json',
    text: `${JSON.stringify(statistics.document())}\n`,
  }));
}

export function startMetrics(bind: Bind, statistics: Statistics): Promise<Listener> {
  return listen(bind, '/metrics', () => ({
    type: METRICS_CONTENT_TYPE,
    text: metricsText(minerMetrics(statistics.document())),
  }));
}

interface Answer {
  readonly type: string;
  readonly text: string;
}

/** Answers one path by GET; a page of a browser elsewhere is refused, since figures name the server and workers. */
async function listen(bind: Bind, path: string, answer: () => Answer): Promise<Listener> {
  const serve: RequestListener = (request, response) => {
    request.resume();
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    const refuse = (status: number, text: string): void => {
      response.statusCode = status;
      response.setHeader('content-type', 'text/plain; charset=utf-8');
      response.end(`${text}\n`);
    };
    if (!namesListener(request.headers.host, bind.host))
      return refuse(403, 'the Host header names no host of this listener: call it by its address');
    if (request.headers.origin !== undefined) return refuse(403, 'pages of browsers are refused');
    if ((request.url ?? '').split('?')[0] !== path) return refuse(404, `only ${path} is here`);
    if (request.method !== 'GET') {
      response.setHeader('allow', 'GET');
      return refuse(405, 'only GET is answered');
    }
    const { type, text } = answer();
    response.setHeader('content-type', type);
    response.end(text);
  };
  const limits = { requestTimeout: TIMEOUT_MILLIS, headersTimeout: TIMEOUT_MILLIS };
  const server: Server = createServer({ ...limits, maxHeaderSize: 8_192 }, serve);
  server.maxConnections = CONNECTIONS_MAX;
  const { host, port, close } = await listenAt(server, bind);
  return { address: { host, port }, close };
}
