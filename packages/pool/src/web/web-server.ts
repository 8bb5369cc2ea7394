/**
 * The web listener of a pool: a page for miners from memory, JSON for it and for programs, metrics for the operator.
 * It reads and changes nothing. Metrics are refused to clients that come through a reverse proxy: they are the
 * operator's own.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Bind } from 'svc-base/node';
import {
  ConnectionLimit,
  type ConnectionLimitOptions,
  type Listening,
  listenAt,
  namesListener,
} from 'svc-base/node';
import { type Log, METRICS_CONTENT_TYPE, messageOf } from 'svc-base/pure';
import { sourceOf } from 'svc-mining/server';
import { formOf, type PageFile, type PageFiles, readPoolFiles } from 'svc-page/pool-files';
import { HISTORY_STEPS_MAX } from '../books/work-history.ts';
import type { PoolReport } from './pool-report.ts';

export interface WebServerOptions {
  readonly bind: Bind;
  readonly hasMetrics: boolean;
}

interface Answer {
  readonly status?: number;
  readonly type: string;
  readonly text: string | Uint8Array;
  /** `no-store` if absent. */
  readonly caching?: string;
  /** The content security policy; one that allows nothing if absent. */
  readonly policy?: string;
  /** The coding of a compressed text. */
  readonly coding?: string | undefined;
}

type Route = (
  match: RegExpExecArray,
  url: URL,
  request: IncomingMessage,
) => Promise<Answer | undefined>;

/** A proxy on this machine forwards requests of any client. */
const PLACES: ConnectionLimitOptions = {
  places: 256,
  placesPerClient: 32,
  clientOf: sourceOf,
  isExcepted: (address) => /^(::ffff:)?127\.|^::1$/.test(address),
};
const TIMEOUT_MILLIS = 10_000;
const JSON_TYPE = 'application/json';
const POLICY = "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
/** The names of assets change with what is in them; the document is asked for again. */
const ASSET_CACHING = 'public, max-age=31536000, immutable';
const SHELL_CACHING = 'no-cache';
/** Headers that proxies add. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

export async function serveWeb(
  { report, log }: { readonly report: PoolReport; readonly log: Log },
  { bind, hasMetrics }: WebServerOptions,
): Promise<Listening> {
  const routes = routesOf(report, hasMetrics);
  const isPrivate = ({ headers }: IncomingMessage): boolean =>
    namesListener(headers.host, bind.host) &&
    PROXY_HEADERS.every((name) => headers[name] === undefined);
  const options = {
    requestTimeout: TIMEOUT_MILLIS,
    headersTimeout: TIMEOUT_MILLIS,
    maxHeaderSize: 8_192,
  };
  const server = createServer(options, (request, response) => {
    request.resume();
    void answerOf(routes, request, isPrivate).then(
      (answer) => send(response, answer),
      (error: unknown) => {
        log.error({ reason: messageOf(error) }, 'a page could not be made');
        send(response, { status: 500, type: 'text/plain', text: 'the page could not be made\n' });
      },
    );
  });
  new ConnectionLimit(PLACES).watch(server);
  return await listenAt(server, bind);
}

function routesOf(report: PoolReport, hasMetrics: boolean): readonly (readonly [RegExp, Route])[] {
  const json = async (document: unknown): Promise<Answer | undefined> =>
    document === undefined ? undefined : { type: JSON_TYPE, text: JSON.stringify(document) };
  const routes: [RegExp, Route][] = [
    ...pageRoutes(readPoolFiles()),
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

/** One document for every screen, and the files that it names; no request text becomes a file name. */
function pageRoutes(files: PageFiles | undefined): [RegExp, Route][] {
  if (files === undefined) return [];
  const { shell, assets, policy } = files;
  const answer = (file: PageFile, caching: string, { headers }: IncomingMessage): Answer => {
    const [text, coding] = formOf(file, String(headers['accept-encoding'] ?? ''));
    return { type: file.media, text, caching, policy, coding };
  };
  return [
    [
      /^\/(?:(?:blocks|rounds|payouts|miner)(?:\/[^/]{0,128})?)?$/,
      async (_match, _url, request) => answer(shell, SHELL_CACHING, request),
    ],
    [
      /^\/assets\/([\w.-]{1,128})$/,
      async ([, name], _url, request) => {
        const asset = assets.get(name as string);
        return asset === undefined ? undefined : answer(asset, ASSET_CACHING, request);
      },
    ],
  ];
}

async function answerOf(
  routes: readonly (readonly [RegExp, Route])[],
  request: IncomingMessage,
  isPrivate: (request: IncomingMessage) => boolean,
): Promise<Answer> {
  const plain = (status: number, text: string): Answer => ({ status, type: 'text/plain', text });
  if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'GET only\n');
  const target = request.url ?? '/';
  if (!URL.canParse(target, 'http://pool')) return plain(400, 'the address is malformed\n');
  const url = new URL(target, 'http://pool');
  if (url.pathname === '/metrics' && !isPrivate(request))
    return plain(
      403,
      'metrics are not served through a proxy, nor to a name bound to this machine\n',
    );
  for (const [pattern, route] of routes) {
    const match = pattern.exec(url.pathname);
    try {
      const answer = match === null ? undefined : await route(match, url, request);
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

function send(response: ServerResponse, answer: Answer): void {
  const { status = 200, type, text, caching = 'no-store', policy = POLICY, coding } = answer;
  response.writeHead(status, {
    'content-type': type,
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': caching,
    vary: 'accept-encoding',
    ...(coding === undefined ? {} : { 'content-encoding': coding }),
  });
  response.end(text);
}
