/**
 * One request on its way through the server: who sent it, and how its answer goes out. An answer is signed over
 * the exact bytes that were received and are sent; 429 and 503 never are.
 *
 * Answers are written past the framework, in one piece with their head: it halves what an answer costs.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { fromHex } from 'svc-wasm/base';
import type { NodeIdentity } from '../../ports/identity.ts';
import { errorDocument, type Refusal, statusOf } from '../../refusal/refused.ts';
import type { OriginVerdict } from '../guards/origin-guard.ts';
import { commonHeaders, corsHeaders, type HeaderList, JSON_MEDIA, NO_STORE } from './headers.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What the limits count by. */
  client: string;
  origin: OriginVerdict;
  /** The nonce of a signed answer, 64 hexadecimal characters. */
  nonce: string | undefined;
  body: Uint8Array;
}

/** What every answer needs to be sent. */
export interface Sending {
  readonly identity: NodeIdentity;
  readonly chainId: Uint8Array;
  /** How long a client may leave its answer unread. */
  readonly stuckMillis: number;
}

export interface Outgoing {
  readonly status: number;
  readonly body: string;
  readonly height: number;
  /** For an answer that may be cached; a signed one never is. */
  readonly headers: HeaderList;
  /** The same with `no-store`. */
  readonly uncached: HeaderList;
}

const NOTHING = new Uint8Array(0);

export function newExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  return { request, response, client: '', origin: 'none', nonce: undefined, body: NOTHING };
}

export function sendAnswer(exchange: Exchange, outgoing: Outgoing, sending: Sending): void {
  const { request, response } = exchange;
  const { status, body } = outgoing;
  const isSigned = exchange.nonce !== undefined && status !== 429 && status !== 503;
  const headers = [...(isSigned ? outgoing.uncached : outgoing.headers)];
  headers.push('content-length', String(Buffer.byteLength(body)));
  if (exchange.origin === 'admitted') headers.push(...corsHeaders(request.headers.origin ?? ''));
  if (isSigned) headers.push(...signatureHeaders(exchange, outgoing, sending));
  response.writeHead(status, headers);
  if (request.method === 'HEAD') response.end();
  else response.end(body);
  if (response.writableLength > 0) endIfStuck(request, sending);
}

/** A client that does not read its answer would keep it in memory; reads of sockets have no connection. */
function endIfStuck({ socket }: IncomingMessage, { stuckMillis }: Sending): void {
  if (socket instanceof Socket) socket.setTimeout(stuckMillis);
}

const REFUSAL_HEADERS = commonHeaders({ media: JSON_MEDIA, caching: NO_STORE });

export function sendRefusal(
  exchange: Exchange,
  refusal: Refusal,
  { height, ...sending }: Sending & { readonly height: number },
): void {
  const { retryAfterMillis, allow } = refusal;
  const { request } = exchange;
  const headers = [...REFUSAL_HEADERS];
  if (retryAfterMillis !== undefined) {
    headers.push('retry-after', String(Math.ceil(retryAfterMillis / 1_000)));
  }
  if (allow !== undefined) headers.push('allow', allow);
  // A body that was not read is not waited for.
  if (request.method === 'POST' && exchange.body.length === 0) headers.push('connection', 'close');
  const body = JSON.stringify(errorDocument(refusal));
  const outgoing = { status: statusOf(refusal), body, height, headers, uncached: headers };
  sendAnswer(exchange, outgoing, sending);
}

function signatureHeaders(
  { request, nonce, body }: Exchange,
  outgoing: Outgoing,
  { identity, chainId }: Sending,
): string[] {
  const method = request.method ?? '';
  const headers = identity.sign({
    method,
    target: request.url ?? '',
    requestBody: body,
    status: outgoing.status,
    responseBody: method === 'HEAD' ? NOTHING : Buffer.from(outgoing.body),
    nonce: fromHex(nonce as string),
    chainId,
    finalizedHeight: BigInt(outgoing.height),
  });
  return Object.entries(headers).flat();
}
