/**
 * A listener that answers GET for a few fixed paths and nothing else: metrics and statistics of a program. On loopback it
 * answers to no name that a page has bound to this machine.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { METRICS_CONTENT_TYPE } from '../pure/metrics.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { type Bind, type Listening, listenAt } from './listen-at.ts';
import { namesListener } from './named-host.ts';

const CONNECTIONS_MAX = 32;
const TIMEOUT_MILLIS = 10_000;

export interface ReportPage {
  readonly contentType: string;
  text(): string;
}

export interface ReportListenerOptions {
  readonly bind: Bind;
  readonly pages: Readonly<Record<string, ReportPage>>;
  /** For reports that name servers or workers: a page of a browser elsewhere is refused. */
  readonly refusesBrowsers?: boolean;
  /** Called with the error that kept a report from being made. */
  onFailure(error: unknown): void;
}

export async function openReportListener(options: ReportListenerOptions): Promise<Listening> {
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
  new ConnectionLimit(shares).watch(server);
  return await listenAt(server, options.bind);
}

export interface MetricsServer {
  readonly address: Bind;
  close(): Promise<void>;
}

export interface MetricsServerOptions {
  readonly bind: Bind;
  /** The metrics as they are now. */
  text(): string;
  /** Called with the error that kept the metrics from being read. */
  onFailure(error: unknown): void;
}

/** A listener for `GET /metrics` alone. */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { bind, onFailure } = options;
  const page = { contentType: METRICS_CONTENT_TYPE, text: () => options.text() };
  const pages = { '/metrics': page };
  const { host, port, close } = await openReportListener({ bind, pages, onFailure });
  return { address: { host, port }, close };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { bind, onFailure, pages, refusesBrowsers = false }: ReportListenerOptions,
): void {
  request.resume();
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  const refuse = (status: number, text: string): void => {
    response.statusCode = status;
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.end(`${text}\n`);
  };
  const path = (request.url ?? '').split('?')[0] ?? '';
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (!namesListener(request.headers.host, bind.host))
    refuse(403, 'the Host header names no host of this listener: call it by its address');
  else if (refusesBrowsers && request.headers.origin !== undefined)
    refuse(403, 'pages of browsers are refused');
  else if (page === undefined)
    refuse(404, `not found: only ${Object.keys(pages).join(', ')} is here`);
  else if (request.method !== 'GET') {
    response.setHeader('allow', 'GET');
    refuse(405, 'only GET is answered');
  } else {
    try {
      const text = page.text();
      response.setHeader('content-type', page.contentType);
      response.end(text);
    } catch (error) {
      onFailure(error);
      refuse(500, 'the report could not be made');
    }
  }
}
