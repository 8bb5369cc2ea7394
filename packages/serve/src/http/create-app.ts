/**
 * The server and its fastify application: limits of the parser and of time, strict reading of queries and
 * bodies, one shape of refusals. How long an answer may take to be read is counted where it is sent.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ROUTE_LIST, ROUTES, type Route } from 'svc-api';
import type { ConnectionLimit } from 'svc-base/node';
import { answerClientError } from '../refusal/raw-refusal.ts';
import type { Refusal } from '../refusal/refused.ts';
import { type Exchange, newExchange } from './answers/exchange.ts';
import { preflightHeaders } from './answers/headers.ts';
import type { Gate } from './gate.ts';
import type { RequestGuard } from './guards/request-guard.ts';
import { HEADER_BYTES_MAX, type HttpTimeouts, REQUESTS_PER_SOCKET } from './options.ts';
import type { Refuser } from './refuser.ts';
import { BODY_BYTES_MAX, readJsonBody, readWiresBody } from './requests/bodies.ts';
import { PipelineQueue, REQUESTS_AHEAD_MAX } from './requests/pipeline-queue.ts';
import { parseQuery } from './requests/query.ts';
import { readerOf } from './requests/reader.ts';

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
  }
}

export interface AppPorts {
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
