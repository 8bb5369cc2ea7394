/**
 * One request on its way through the server: who sent it, and how its answer goes out. An answer is signed over
 * the exact bytes that were received and are sent; 429 and 503 never are.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fromHex } from 'svc-wasm/base';
import type { NodeIdentity } from '../../ports/identity.ts';
import type { OriginVerdict } from '../guards/origin-guard.ts';
import { corsHeaders, JSON_MEDIA, NO_STORE, SECURITY_HEADERS } from './headers.ts';
import { errorDocument, type Refusal, statusOf } from './refused.ts';

export interface Exchange {
  /** What the limits count by. */
  client: string;
  origin: OriginVerdict;
  /** The nonce of a signed answer, 64 hexadecimal characters. */
  nonce: string | undefined;
  body: Uint8Array;
}

export interface Signing {
  readonly identity: NodeIdentity;
  readonly chainId: Uint8Array;
}

export interface Outgoing {
  readonly status: number;
  readonly media: string;
  readonly body: string;
  readonly caching: string;
  readonly height: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const NEVER_SIGNED: readonly number[] = [429, 503];
/** A body that was not read is not waited for. */
const CLOSE = { connection: 'close' } as const;

export function sendAnswer(
  exchange: Exchange,
  request: FastifyRequest,
  reply: FastifyReply,
  outgoing: Outgoing,
  signing: Signing,
): FastifyReply {
  const isSigned = exchange.nonce !== undefined && !NEVER_SIGNED.includes(outgoing.status);
  reply.code(outgoing.status).headers(SECURITY_HEADERS);
  reply.header('content-type', outgoing.media);
  reply.header('cache-control', isSigned ? NO_STORE : outgoing.caching);
  if (exchange.origin === 'admitted') {
    reply.headers(corsHeaders(request.headers.origin as string));
  }
  if (outgoing.headers !== undefined) reply.headers(outgoing.headers);
  if (isSigned) reply.headers(signatureHeaders(exchange, request, outgoing, signing));
  return reply.send(outgoing.body);
}

export function sendRefusal(
  exchange: Exchange,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  { height, ...signing }: Signing & { readonly height: number },
): FastifyReply {
  const status = statusOf(refusal);
  const { retryAfterMillis, allow } = refusal;
  const headers = {
    ...(retryAfterMillis === undefined
      ? {}
      : { 'retry-after': String(Math.ceil(retryAfterMillis / 1_000)) }),
    ...(allow === undefined ? {} : { allow }),
    ...(request.method === 'POST' && exchange.body.length === 0 ? CLOSE : {}),
  };
  const body = JSON.stringify(errorDocument(refusal));
  const outgoing = { status, media: JSON_MEDIA, body, caching: NO_STORE, height, headers };
  return sendAnswer(exchange, request, reply, outgoing, signing);
}

function signatureHeaders(
  { nonce, body }: Exchange,
  { method, raw }: FastifyRequest,
  outgoing: Outgoing,
  { identity, chainId }: Signing,
): Record<string, string> {
  return identity.sign({
    method,
    target: raw.url ?? '',
    requestBody: body,
    status: outgoing.status,
    responseBody: method === 'HEAD' ? new Uint8Array(0) : Buffer.from(outgoing.body),
    nonce: fromHex(nonce as string),
    chainId,
    finalizedHeight: BigInt(outgoing.height),
  });
}
