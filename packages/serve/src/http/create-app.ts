/**
 * The server and its fastify application: limits of the parser and of time, strict reading of queries and
 * bodies, one shape of refusals. How long an answer may take to be read is counted where it is sent.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ROUTE_LIST, ROUTES, type Route } from 'svc-api';
import type { ConnectionLimit } from 'svc-base/node';
import { answerClientError, type Refusal } from '../refusal.ts';
import { type Exchange, newExchange, preflightHeaders } from './answers.ts';
import type { GuardVerdict, RequestGuard } from './guards/request-guard.ts';
import { HEADER_BYTES_MAX, type HttpTimeouts, REQUESTS_PER_SOCKET } from './options.ts';
import type { Refuser } from './refuser.ts';
import { PipelineQueue, REQUESTS_AHEAD_MAX } from './requests/pipeline-queue.ts';
import {
  BODY_BYTES_MAX,
  bodyHeadersFault,
  hasBody,
  parseQuery,
  QueryFault,
  readerOf,
  readJsonBody,
  readWiresBody,
} from './requests/read-request.ts';

/** The remote address of a read made for a client of a socket: this prefix, then the key of the client. */
export const SOCKET_READ = 'socket ';

const NONCE_HEADER = 'x-svc-request-nonce';
const NONCE = /^[0-9a-f]{64}$/i;
const UNKNOWN_ROUTE_WEIGHT = 1;

/**
 * The first look at a request, before its body is read: whether the client may ask, whether the request has the
 * form that its route takes, whether the answer is to be signed.
 */
export class Gate {
  readonly #guard: RequestGuard;

  constructor(guard: RequestGuard) {
    this.#guard = guard;
  }

  /** Returns why the request is refused, if it is; fills in the client and origin of the exchange. */
  check(exchange: Exchange, route: Route | undefined, query: unknown): Refusal | undefined {
    const { request } = exchange;
    const verdict = this.#judge(request, route?.weight.base ?? UNKNOWN_ROUTE_WEIGHT);
    if (!verdict.admitted) return verdict.refusal;
    exchange.client = verdict.client;
    exchange.origin = verdict.origin;
    return (
      this.#readNonce(exchange) ??
      (route === undefined ? undefined : formFault(request, route, query))
    );
  }

  #judge(request: IncomingMessage, weight: number): GuardVerdict {
    const address = request.socket.remoteAddress;
    if (address?.startsWith(SOCKET_READ) !== true) return this.#guard.judge(request, weight);
    const client = address.slice(SOCKET_READ.length);
    const refusal = this.#guard.spendRequest(client, weight);
    if (refusal !== undefined) return { admitted: false, refusal };
    return { admitted: true, client, origin: 'none' };
  }

  #readNonce(exchange: Exchange): Refusal | undefined {
    const nonce = exchange.request.headers[NONCE_HEADER];
    if (nonce === undefined) return undefined;
    if (typeof nonce !== 'string' || !NONCE.test(nonce)) {
      return { code: 'bad_nonce', message: 'expected 64 hexadecimal characters' };
    }
    const refusal = this.#guard.spendSignature(exchange.client);
    if (refusal === undefined) exchange.nonce = nonce;
    return refusal;
  }
}

function formFault(request: IncomingMessage, route: Route, query: unknown): Refusal | undefined {
  if (query instanceof QueryFault) return query.refusal;
  if (route.query === undefined && request.url?.includes('?') === true) {
    return { code: 'unknown_field', message: 'the route takes no query', path: 'query' };
  }
  if (route.body !== undefined) return bodyHeadersFault(request, route);
  return hasBody(request)
    ? { code: 'bad_request', message: 'expected a request without a body' }
    : undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
  }
}

interface AppPorts {
  readonly guard: RequestGuard;
  readonly gate: Gate;
  readonly refuser: Refuser;
  readonly places: ConnectionLimit;
  readonly timeouts: HttpTimeouts;
}

/** Runs before a route's body is read; calls `done`, or refuses the request. */
export type GateHook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

export interface App {
  readonly app: FastifyInstance;
  /** Undefined for a route that is not in the table. */
  gateFor(route: Route | undefined): GateHook;
}

const PARAMETER_CHARACTERS_MAX = 128;
const BAD_TARGET: Refusal = { code: 'bad_target', message: 'expected a plain path' };
const BAD_EXPECTATION: Refusal = {
  code: 'bad_request',
  message: 'expected no expectation but 100-continue',
  status: 417,
};
const TOO_MANY_AHEAD: Refusal = {
  code: 'too_many_requests',
  message: `expected at most ${REQUESTS_AHEAD_MAX} requests ahead of their answers`,
  retryAfterMillis: 1_000,
  closes: true,
};

export function createApp({ guard, gate, refuser, places, timeouts }: AppPorts): App {
  const waiting: WaitingBodies = new WeakSet();
  const app = Fastify({
    serverFactory: (handle) => {
      const server = createHttpServer({ guard, places, refuser, timeouts }, handle);
      return heedExpectations(server, { guard, refuser, waiting });
    },
    bodyLimit: BODY_BYTES_MAX,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: {
      querystringParser: parseQuery as (text: string) => Record<string, unknown>,
      maxParamLength: PARAMETER_CHARACTERS_MAX,
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error, request, reply) => {
      const overRate = guard.spendRequest(guard.clientOf(request.raw), 1);
      refuser.refuse(request, reply, overRate ?? BAD_TARGET);
    },
  });
  app.setValidatorCompiler(readerOf);
  app.decorateRequest('exchange');
  app.setErrorHandler((error, request, reply) => refuser.fail(request, reply, error));
  addBodies(app);
  addUnknownRoutes(app, gate, refuser);
  return { app, gateFor: (route) => gateHook({ gate, refuser, waiting }, route) };
}

function createHttpServer(
  { guard, places, refuser, timeouts }: Omit<AppPorts, 'gate'>,
  begin: RequestListener,
): Server {
  const turns = new PipelineQueue({
    begin,
    onTooMany: (request) => {
      const client = guard.clientOf(request);
      if (guard.block(client)) places.endWaiting(client);
    },
    refuse: (request, response) => refuser.send(newExchange(request, response), TOO_MANY_AHEAD),
  });
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.keepAlive,
      connectionsCheckingInterval: timeouts.checkingInterval,
      // A client that offers HTTP/2 gets an ordinary answer.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    (request, response) => turns.wait(request, response),
  );
  server.maxRequestsPerSocket = REQUESTS_PER_SOCKET;
  return server;
}

/** Requests whose client sends the body after `100 Continue` alone. */
type WaitingBodies = WeakSet<IncomingMessage>;

/**
 * A client that expects `100-continue` gets `100 Continue` once the gate has admitted its request; a refused one gets
 * its answer instead and keeps the body. Every other expectation is refused.
 */
function heedExpectations(
  server: Server,
  { guard, refuser, waiting }: Pick<AppPorts, 'guard' | 'refuser'> & { waiting: WaitingBodies },
): Server {
  server.on('checkContinue', (request, response) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => {
    const overRate = guard.spendRequest(guard.clientOf(request), 1);
    refuser.send(newExchange(request, response), overRate ?? BAD_EXPECTATION);
  });
  return server;
}

interface GatePorts extends Pick<AppPorts, 'gate' | 'refuser'> {
  readonly waiting: WaitingBodies;
}

function gateHook({ gate, refuser, waiting }: GatePorts, route: Route | undefined): GateHook {
  return (request, reply, done) => {
    const exchange = newExchange(request.raw, reply.raw);
    request.exchange = exchange;
    const refusal = gate.check(exchange, route, request.query);
    if (refusal !== undefined) return refuser.refuse(request, reply, refusal);
    if (waiting.has(request.raw)) reply.raw.writeContinue();
    done();
  };
}

function addBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parsers = {
    'application/json': readJsonBody,
    [ROUTES.transactionsSubmit.bytes.media]: readWiresBody,
  };
  for (const [media, read] of Object.entries(parsers)) {
    app.addContentTypeParser<Buffer>(media, { parseAs: 'buffer' }, (request, body, done) => {
      request.exchange.body = body;
      try {
        done(null, read(body));
      } catch (error) {
        done(error as Error);
      }
    });
  }
}

/** Answers requests that no route matches before their body is read; in a scope of its own, since other requests need none of it. */
function addUnknownRoutes(app: FastifyInstance, gate: Gate, refuser: Refuser): void {
  const further = furtherMethods(app);
  const answer = ({ raw, query }: FastifyRequest, reply: FastifyReply): void => {
    const exchange = newExchange(raw, reply.raw);
    reply.hijack();
    const refusal = gate.check(exchange, undefined, query);
    const [path = ''] = (raw.url ?? '').split('?', 1);
    const methods = allowedMethods(path) ?? further.get(path);
    if (refusal === undefined && methods !== undefined && isPreflight(exchange))
      answerPreflight(exchange, methods);
    else refuser.send(exchange, refusal ?? unroutedRefusal(methods));
  };
  app.register(async (scope) => {
    scope.addHook('onRequest', (request, reply, _done) => answer(request, reply));
    scope.setNotFoundHandler(answer);
  });
}

function unroutedRefusal(methods: readonly string[] | undefined): Refusal {
  if (methods === undefined) return { code: 'unknown_route', message: 'there is no such route' };
  return {
    code: 'method_not_allowed',
    message: `expected ${methods.join(' or ')}`,
    allow: methods.join(', '),
  };
}

/** The methods of plain paths of the API that are added later and are not in the table: control of a development network. */
function furtherMethods(app: FastifyInstance): ReadonlyMap<string, readonly string[]> {
  const further = new Map<string, readonly string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    if (!url.startsWith('/v1/') || /[:*]/.test(url)) return;
    further.set(url, [...(further.get(url) ?? []), method].flat());
  });
  return further;
}

function isPreflight({ request, origin }: Exchange): boolean {
  const wanted = request.headers['access-control-request-method'];
  return request.method === 'OPTIONS' && origin === 'admitted' && wanted !== undefined;
}

function answerPreflight({ request, response }: Exchange, methods: readonly string[]): void {
  const { origin = '', 'access-control-request-private-network': near } = request.headers;
  response.writeHead(204, [...preflightHeaders(origin, methods.join(', '), near === 'true')]);
  response.end();
}

interface PathMethods {
  readonly pattern: RegExp;
  readonly methods: readonly string[];
}

const PATHS: readonly PathMethods[] = [...new Set(ROUTE_LIST.map(({ path }) => path))]
  // A path without parameters comes before one that would match it with a parameter.
  .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
  .map((path) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{[a-z]+\}/g, '[^/]+')}$`),
    methods: ROUTE_LIST.filter((route) => route.path === path).flatMap(({ method }) =>
      method === 'GET' ? ['GET', 'HEAD'] : [method],
    ),
  }));

/** The methods of a path, for refusals of others and for preflights; undefined if no route has the path. */
function allowedMethods(path: string): readonly string[] | undefined {
  return PATHS.find(({ pattern }) => pattern.test(path))?.methods;
}
