/**
 * The fastify application: limits of the parser, strict reading of queries and bodies, one shape of refusals.
 */
import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { ErrorCode, Route } from 'svc-api';
import { bytesOf } from 'svc-ledger';
import type { Services } from '../services.ts';
import { allowedMethods } from './allowed-methods.ts';
import { type Exchange, type Signing, sendRefusal } from './answers/exchange.ts';
import { preflightHeaders } from './answers/headers.ts';
import { type Refusal, refusalOf } from './answers/refused.ts';
import { answerClientError } from './client-error.ts';
import { Gate } from './gate.ts';
import type { RequestGuard } from './guards/request-guard.ts';
import { HEADER_BYTES_MAX, type HttpTimeouts, REQUESTS_PER_SOCKET } from './options.ts';
import { BODY_BYTES_MAX, readJsonBody } from './requests/json-body.ts';
import { parseQuery } from './requests/query.ts';
import { schemaFault } from './requests/schema-fault.ts';

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
  }
  interface FastifyContextConfig {
    readonly route?: Route;
  }
}

const NO_BODY = new Uint8Array(0);
const PARAMETER_CHARACTERS_MAX = 128;

export function newExchange(): Exchange {
  return { client: '', origin: 'none', nonce: undefined, body: NO_BODY };
}

export function createApp(
  services: Services,
  guard: RequestGuard,
  timeouts: HttpTimeouts,
): FastifyInstance {
  const refuse = refuser(services);
  const app = Fastify({
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      connectionsCheckingInterval: timeouts.checkingInterval,
      // Clients that offer HTTP/2 on every request mean an ordinary answer.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionTimeout: timeouts.idle,
    maxRequestsPerSocket: REQUESTS_PER_SOCKET,
    bodyLimit: BODY_BYTES_MAX,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: {
      querystringParser: parseQuery as (text: string) => Record<string, unknown>,
      maxParamLength: PARAMETER_CHARACTERS_MAX,
    },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    schemaErrorFormatter: schemaFault,
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error, request, reply) => {
      const overRate = guard.takeRequest(guard.clientOf(request.raw), 1);
      void refuse(request, reply, overRate ?? BAD_TARGET);
    },
  });
  addGate(app, new Gate(guard), refuse);
  addBodies(app);
  addRefusals(app, services, refuse);
  return app;
}

const BAD_TARGET: Refusal = { code: 'bad_target', message: 'expected a plain path' };

type Refuse = (
  request: FastifyRequest,
  reply: Parameters<typeof sendRefusal>[2],
  refusal: Refusal,
) => ReturnType<typeof sendRefusal>;

function refuser({ chain, identity }: Services): Refuse {
  const signing: Signing = { identity, chainId: bytesOf(chain.chainId) };
  return (request, reply, refusal) =>
    sendRefusal(request.exchange ?? newExchange(), request, reply, refusal, {
      ...signing,
      height: chain.head.height,
    });
}

function addGate(app: FastifyInstance, gate: Gate, refuse: Refuse): void {
  app.decorateRequest('exchange');
  app.addHook('onRequest', (request, reply, done) => {
    const exchange = newExchange();
    request.exchange = exchange;
    const refusal = gate.check(request, request.routeOptions.config.route, exchange);
    if (refusal === undefined) done();
    else void refuse(request, reply, refusal);
  });
}

function addBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX },
    (request, body, done) => {
      request.exchange.body = body;
      try {
        done(null, readJsonBody(body));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

/** What fastify itself refuses. */
const FRAMEWORK_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_BAD_URL: 'bad_target',
};

function addRefusals(app: FastifyInstance, { log }: Services, refuse: Refuse): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const code = FRAMEWORK_CODES[error.code];
    const refusal =
      refusalOf(error) ??
      (code === undefined ? undefined : { code, message: 'the request cannot be read' });
    if (refusal !== undefined) return refuse(request, reply, refusal);
    log.error(
      { route: request.routeOptions.config.route?.name ?? '', error: String(error.stack ?? error) },
      'a request could not be answered',
    );
    return refuse(request, reply, { code: 'internal_error', message: 'the node failed to answer' });
  });
  app.setNotFoundHandler((request, reply) => {
    const methods = allowedMethods(request.raw.url ?? '');
    if (methods === undefined) {
      return refuse(request, reply, { code: 'unknown_route', message: 'there is no such route' });
    }
    const { origin } = request.exchange;
    const wanted = request.headers['access-control-request-method'];
    if (request.method === 'OPTIONS' && origin === 'admitted' && wanted !== undefined) {
      const isPrivate = request.headers['access-control-request-private-network'] === 'true';
      const headers = preflightHeaders(
        request.headers.origin as string,
        methods.join(', '),
        isPrivate,
      );
      return reply.code(204).headers(headers).send();
    }
    const allow = methods.join(', ');
    return refuse(request, reply, {
      code: 'method_not_allowed',
      message: `expected ${methods.join(' or ')}`,
      allow,
    });
  });
}
