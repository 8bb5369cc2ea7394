/**
 * Refusals of the mining listener in the one shape of errors. Nothing of the inside of the node is told.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, errorEntry, MINING_ROUTES } from 'svc-api';
import type { Log } from 'svc-base/pure';
import { errorDocument, type Refusal, Refused, refusalOf } from 'svc-serve';

/** Error codes for what fastify itself refuses. */
const SERVER_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
};

export function refuse(log: Log, error: unknown, reply: FastifyReply): FastifyReply {
  return send(reply, refusalFor(log, error));
}

export function refuseUnknown({ method, url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const route = MINING_ROUTES.find(({ path }) => path === url);
  if (route === undefined) return send(reply, new Refused('unknown_route', 'no such route'));
  reply.header('allow', route.method);
  return send(
    reply,
    new Refused('method_not_allowed', `expected ${route.method}, found ${method}`),
  );
}

/** Refuses a path that the router cannot read. */
export function refuseTarget(reply: FastifyReply): FastifyReply {
  return send(reply, new Refused('bad_target', 'expected a plain path'));
}

function refusalFor(log: Log, error: unknown): Refusal {
  const own = refusalOf(error);
  if (own !== undefined) return own;
  const { code, statusCode, message } = error as FastifyError;
  const known = SERVER_CODES[code];
  if (known !== undefined) return { code: known, message: errorEntry(known).meaning };
  if (statusCode !== undefined && statusCode < 500)
    return { code: 'bad_request', message: errorEntry('bad_request').meaning };
  log.error({ error: String(message) }, 'a request to the mining listener failed');
  return { code: 'internal_error', message: errorEntry('internal_error').meaning };
}

function send(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { retryAfterMillis } = refusal;
  if (retryAfterMillis !== undefined)
    reply.header('retry-after', String(Math.ceil(retryAfterMillis / 1_000)));
  reply.header('x-content-type-options', 'nosniff');
  return reply.code(errorEntry(refusal.code).status).send(errorDocument(refusal));
}
