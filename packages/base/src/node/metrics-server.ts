/**
 * The listener for the metrics of a program. It answers `GET /metrics` and nothing else, to whoever can reach it; a name
 * that a page has bound to this machine reaches none that listens on loopback.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { METRICS_CONTENT_TYPE } from '../pure/metrics.ts';
import { ConnectionPlaces } from './connection-places.ts';
import { listenAt } from './listen-at.ts';
import { namesListener } from './named-host.ts';

const CONNECTIONS_MAX = 16;
const TIMEOUT_MILLIS = 10_000;

export interface MetricsServer {
  readonly address: { readonly host: string; readonly port: number };
  close(): Promise<void>;
}

export interface MetricsServerOptions {
  readonly bind: { readonly host: string; readonly port: number };
  /** The metrics as they are now. */
  text(): string;
  /** Called with what kept the metrics from being read. */
  onFailure(error: unknown): void;
}

export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer(
    {
      requestTimeout: TIMEOUT_MILLIS,
      headersTimeout: TIMEOUT_MILLIS,
      keepAliveTimeout: TIMEOUT_MILLIS,
      maxHeaderSize: 8_192,
    },
    (request, response) => answer(request, response, options),
  );
  const shares = { places: CONNECTIONS_MAX, placesPerClient: CONNECTIONS_MAX };
  new ConnectionPlaces(shares).watch(server);
  const { host, port, close } = await listenAt(server, options.bind);
  return { address: { host, port }, close };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: MetricsServerOptions,
): void {
  request.resume();
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  const path = (request.url ?? '').split('?')[0];
  if (!namesListener(request.headers.host, options.bind.host))
    refuse(
      response,
      403,
      'the Host header names no host of this listener: call it by its address\n',
    );
  else if (path !== '/metrics') refuse(response, 404, 'not found: only /metrics is here\n');
  else if (request.method !== 'GET') {
    response.setHeader('allow', 'GET');
    refuse(response, 405, 'only GET is answered\n');
  } else {
    try {
      const text = options.text();
      response.setHeader('content-type', METRICS_CONTENT_TYPE);
      response.end(text);
    } catch (error) {
      options.onFailure(error);
      refuse(response, 500, 'metrics could not be read\n');
    }
  }
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(text);
}
