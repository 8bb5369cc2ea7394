/**
 * What the daemon answers to a request that it does not let through, over HTTP and in place of a WebSocket.
 */
import type { Duplex } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Refusal } from './access.ts';

const RETRY_SECONDS = 1;

export const BUSY: Refusal = {
  status: 503,
  code: 'busy',
  message: 'the daemon serves as many connections as it can',
  hint: 'repeat in a moment, a payment with the same request_id; keep connections open and use them again',
};

export const UNKNOWN_ROUTE: Refusal = {
  status: 404,
  code: 'unknown_route',
  message: 'there is no such route',
};

export const BAD_NONCE: Refusal = {
  status: 400,
  code: 'bad_request',
  message: 'expected a nonce of 64 hexadecimal characters',
};

export const UNAUTHORIZED: Refusal = {
  status: 401,
  code: 'unauthorized',
  message: 'expected the header Authorization: Bearer <token>',
  hint: 'the token is in the file <wallet file>.token',
};

export const TOO_MANY_GUESSES: Refusal = {
  status: 429,
  code: 'too_many_requests',
  message: 'too many calls with a wrong token wait for their answer',
  hint: 'the token of this call is wrong too; it is in the file <wallet file>.token',
};

export function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status } = refusal;
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (passes(refusal)) reply.header('retry-after', String(RETRY_SECONDS));
  return reply.code(status).header('cache-control', 'no-store').send(documentOf(refusal));
}

/** The body of a refusal. */
export function refusalText(refusal: Refusal): string {
  return JSON.stringify(documentOf(refusal));
}

/** Whether the same request may be served in a moment. */
function passes(refusal: Refusal): boolean {
  return refusal === BUSY;
}

/** The error document; how long to wait is in it as well as in the header. */
function documentOf(refusal: Refusal): object {
  const { code, hint, message } = refusal;
  const wait = passes(refusal) ? { retry_after_millis: 1_000 * RETRY_SECONDS } : {};
  return {
    api_version: 1,
    error: { code, message, ...(hint === undefined ? {} : { hint }) },
    ...wait,
  };
}

export function codeOf(status: number): string {
  if (status === 413) return 'body_too_large';
  if (status === 415) return 'unsupported_media_type';
  return status < 500 ? 'bad_request' : 'internal_error';
}

/**
 * Answers in place of a WebSocket, or where nothing was asked, and closes the connection from this side: a peer that keeps
 * its own side open has no place here.
 */
export function refuseSocket(socket: Duplex, refusal: Refusal): void {
  const body = refusalText(refusal);
  const head = [
    `HTTP/1.1 ${refusal.status} ${refusal.code}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(passes(refusal) ? [`retry-after: ${RETRY_SECONDS}`] : []),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
