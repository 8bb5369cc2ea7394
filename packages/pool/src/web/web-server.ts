/**
 * The web listener of a pool: pages for miners, JSON for programs, metrics for the operator. It reads and changes
 * nothing. Metrics are refused to whoever comes through a reverse proxy: they are the operator's own.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  ConnectionPlaces,
  type ConnectionPlacesOptions,
  type Listening,
  listenAt,
} from 'svc-base/node';
import { type Log, METRICS_CONTENT_TYPE, messageOf } from 'svc-base/pure';
import { type Bind, sourceOf } from 'svc-stratum';
import { HISTORY_STEPS_MAX } from '../books/work-history.ts';
import type { PoolReport } from './pool-report.ts';

export interface WebServerOptions {
  readonly bind: Bind;
  readonly hasMetrics: boolean;
}

interface Answer {
  readonly status?: number;
  readonly type: string;
  readonly text: string;
}

type Route = (match: RegExpExecArray, url: URL) => Promise<Answer | undefined>;

/** A proxy on this machine speaks for everybody. */
const PLACES: ConnectionPlacesOptions = {
  places: 256,
  placesPerClient: 32,
  clientOf: sourceOf,
  isExcepted: (address) => /^(::ffff:)?127\.|^::1$/.test(address),
};
const TIMEOUT_MILLIS = 10_000;
const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json';
const POLICY =
  "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** Headers that proxies add. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

export async function serveWeb(
  { report, log }: { readonly report: PoolReport; readonly log: Log },
  { bind, hasMetrics }: WebServerOptions,
): Promise<Listening> {
  const routes = routesOf(report, hasMetrics);
  const options = {
    requestTimeout: TIMEOUT_MILLIS,
    headersTimeout: TIMEOUT_MILLIS,
    maxHeaderSize: 8_192,
  };
  const server = createServer(options, (request, response) => {
    request.resume();
    void answerOf(routes, request).then(
      (answer) => send(response, answer),
      (error: unknown) => {
        log.error({ reason: messageOf(error) }, 'a page could not be made');
        send(response, { status: 500, type: 'text/plain', text: 'the page could not be made\n' });
      },
    );
  });
  new ConnectionPlaces(PLACES).watch(server);
  return await listenAt(server, bind);
}

function routesOf(report: PoolReport, hasMetrics: boolean): readonly (readonly [RegExp, Route])[] {
  const json = async (document: unknown): Promise<Answer | undefined> =>
    document === undefined ? undefined : { type: JSON_TYPE, text: JSON.stringify(document) };
  const page = async (text: string): Promise<Answer> => ({ type: HTML, text });
  const routes: [RegExp, Route][] = [
    [/^\/$/, async () => page(await report.frontPage())],
    [
      /^\/miner$/,
      async (_, url) => page(await report.minerPage(url.searchParams.get('address') ?? '')),
    ],
    [/^\/style\.css$/, async () => ({ type: 'text/css', text: report.style })],
    [/^\/v1\/stats$/, async () => json(await report.statistics())],
    [/^\/v1\/blocks$/, async () => json(await report.blocks())],
    [/^\/v1\/rounds$/, async (_, url) => json(await report.rounds(beforeOf(url)))],
    [/^\/v1\/rounds\/([1-9][0-9]{0,14})$/, async ([, number]) => report.round(Number(number))],
    [/^\/v1\/payouts$/, async (_, url) => json(await report.payouts(beforeOf(url)))],
    [
      /^\/v1\/miners\/([a-zA-Z0-9]{1,90})$/,
      async ([, address]) => json(await report.miner(address as string)),
    ],
    [/^\/v1\/history$/, async (_, url) => json(await report.history(stepsOf(url)))],
    [
      /^\/v1\/miners\/([a-zA-Z0-9]{1,90})\/history$/,
      async ([, address], url) => json(await report.history(stepsOf(url), address)),
    ],
  ];
  if (hasMetrics)
    routes.push([
      /^\/metrics$/,
      async () => ({ type: METRICS_CONTENT_TYPE, text: await report.metrics() }),
    ]);
  return routes;
}

async function answerOf(
  routes: readonly (readonly [RegExp, Route])[],
  request: IncomingMessage,
): Promise<Answer> {
  const plain = (status: number, text: string): Answer => ({ status, type: 'text/plain', text });
  if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'GET only\n');
  const target = request.url ?? '/';
  if (!URL.canParse(target, 'http://pool')) return plain(400, 'the address is malformed\n');
  const url = new URL(target, 'http://pool');
  const isForwarded = PROXY_HEADERS.some((name) => request.headers[name] !== undefined);
  if (url.pathname === '/metrics' && isForwarded)
    return plain(403, 'metrics are not served through a proxy\n');
  for (const [pattern, route] of routes) {
    const match = pattern.exec(url.pathname);
    try {
      const answer = match === null ? undefined : await route(match, url);
      if (answer !== undefined) return answer;
    } catch (error) {
      if (error instanceof BadParameter) return error.answer;
      throw error;
    }
  }
  return plain(404, 'not found\n');
}

/** A parameter of an address that is no number or out of its range. */
class BadParameter extends Error {
  readonly #path: string;

  constructor(path: string, [min, max]: readonly [number, number]) {
    super(`expected a whole number from ${min} to ${max}`);
    this.#path = path;
  }

  get answer(): Answer {
    const error = { code: 'bad_integer', message: this.message, path: this.#path };
    return { status: 400, type: JSON_TYPE, text: JSON.stringify({ api_version: 1, error }) };
  }
}

/** The parameter as a number; the highest one if it is left out. */
function numberOf(url: URL, name: string, [min, max]: readonly [number, number]): number {
  const [text, ...more] = url.searchParams.getAll(name);
  if (text === undefined) return max;
  const value = /^(0|[1-9][0-9]{0,15})$/.test(text) && more.length === 0 ? Number(text) : -1;
  if (value >= min && value <= max) return value;
  throw new BadParameter(name, [min, max]);
}

function beforeOf(url: URL): number {
  return numberOf(url, 'before', [0, Number.MAX_SAFE_INTEGER]);
}

/** `?limit=N` asks for fewer steps than there are. */
function stepsOf(url: URL): number {
  return numberOf(url, 'limit', [1, HISTORY_STEPS_MAX]);
}

function send(response: ServerResponse, { status = 200, type, text }: Answer): void {
  response.writeHead(status, {
    'content-type': type,
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  response.end(text);
}
