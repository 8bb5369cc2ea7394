/**
 * The listener for metrics. It answers `GET /metrics` and nothing else, to whoever can reach it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ConnectionPlaces, listenAt } from 'svc-base/node';
import { type Log, METRICS_CONTENT_TYPE } from 'svc-base/pure';
import type { Bind } from '../config/bind.ts';
import { errorFields } from '../log/log-text.ts';
import type { NodeMetrics } from './node-metrics.ts';

const CONNECTIONS_MAX = 16;
const TIMEOUT_MILLIS = 10_000;

export interface MetricsServer {
  readonly address: Bind;
  close(): Promise<void>;
}

export interface MetricsServerOptions {
  readonly bind: Bind;
  readonly metrics: NodeMetrics;
  readonly log: Log;
}

export async function startMetricsServer(parts: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer(
    {
      requestTimeout: TIMEOUT_MILLIS,
      headersTimeout: TIMEOUT_MILLIS,
      keepAliveTimeout: TIMEOUT_MILLIS,
      maxHeaderSize: 8_192,
    },
    (request, response) => answer(request, response, parts),
  );
  const shares = { places: CONNECTIONS_MAX, placesPerClient: CONNECTIONS_MAX };
  new ConnectionPlaces(shares).watch(server);
  const { host, port, close } = await listenAt(server, parts.bind);
  return { address: { host, port }, close };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { metrics, log }: MetricsServerOptions,
): void {
  request.resume();
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  const path = (request.url ?? '').split('?')[0];
  if (path !== '/metrics') refuse(response, 404, 'not found: only /metrics is here\n');
  else if (request.method !== 'GET') {
    response.setHeader('allow', 'GET');
    refuse(response, 405, 'only GET is answered\n');
  } else {
    try {
      const text = metrics.text();
      response.setHeader('content-type', METRICS_CONTENT_TYPE);
      response.end(text);
    } catch (error) {
      log.error(errorFields(error), 'metrics could not be read');
      refuse(response, 500, 'metrics could not be read\n');
    }
  }
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(text);
}
