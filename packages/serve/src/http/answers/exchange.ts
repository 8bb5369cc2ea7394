/**
 * One request on its way through the server: who sent it, and how its answer goes out. An answer is signed over
 * the exact bytes that were received and are sent; 429 and 503 never are.
 *
 * Answers are written past the framework, in one piece with their head: it halves what an answer costs.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { fromHex } from 'svc-wasm/base';
import type { NodeIdentity } from '../../ports.ts';
import { errorDocument, type Refusal, statusOf } from '../../refusal/refused.ts';
import type { OriginVerdict } from '../guards/request-head.ts';
import { commonHeaders, corsHeaders, type HeaderList, JSON_MEDIA, NO_STORE } from './headers.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The key that budgets of this client are counted under. */
  client: string;
  origin: OriginVerdict;
  /** The nonce of a signed answer as the client wrote it, 64 hexadecimal characters of either case. */
  nonce: string | undefined;
  body: Uint8Array;
}

/** What every answer needs to be sent. */
export interface SendPorts {
  readonly identity: NodeIdentity;
  readonly chainId: Uint8Array;
  /** How long a client may leave its answer unread. */
  readonly stuckMillis: number;
}

export interface Outgoing {
  readonly status: number;
  readonly body: string;
  readonly height: number;
  /** Headers of an answer that may be cached; a signed answer never is. */
  readonly headers: HeaderList;
  /** The same headers with `no-store`, for a signed answer. */
  readonly uncached: HeaderList;
}

const NOTHING = new Uint8Array(0);

export function newExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  return { request, response, client: '', origin: 'none', nonce: undefined, body: NOTHING };
}

export function sendAnswer(exchange: Exchange, outgoing: Outgoing, sending: SendPorts): void {
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

/**
 * Ends the connection of a client that leaves its answer unread, since the answer stays in memory until then.
 * Reads for sockets have no connection.
 */
function endIfStuck({ socket }: IncomingMessage, { stuckMillis }: SendPorts): void {
  if (socket instanceof Socket) socket.setTimeout(stuckMillis);
}

const REFUSAL_HEADERS = commonHeaders({ media: JSON_MEDIA, caching: NO_STORE });

export function sendRefusal(
  exchange: Exchange,
  refusal: Refusal,
  { height, ...sending }: SendPorts & { readonly height: number },
): void {
  const { retryAfterMillis, allow } = refusal;
  const { request } = exchange;
  const headers = [...REFUSAL_HEADERS];
  if (retryAfterMillis !== undefined) {
    headers.push('retry-after', String(Math.ceil(retryAfterMillis / 1_000)));
  }
  if (allow !== undefined) headers.push('allow', allow);
  // A body that was refused unread is not waited for.
  const isUnread = request.method === 'POST' && exchange.body.length === 0;
  if (isUnread || refusal.closes === true) headers.push('connection', 'close');
  const body = JSON.stringify(errorDocument(refusal));
  const outgoing = { status: statusOf(refusal), body, height, headers, uncached: headers };
  sendAnswer(exchange, outgoing, sending);
}

function signatureHeaders(
  { request, nonce, body }: Exchange,
  outgoing: Outgoing,
  { identity, chainId }: SendPorts,
): string[] {
  const method = request.method ?? '';
  const given = nonce as string;
  const headers = identity.sign({
    method,
    target: request.url ?? '',
    requestBody: body,
    status: outgoing.status,
    responseBody: method === 'HEAD' ? NOTHING : Buffer.from(outgoing.body),
    nonce: fromHex(given.toLowerCase()),
    chainId,
    finalizedHeight: BigInt(outgoing.height),
  });
  return Object.entries({ ...headers, 'x-svc-request-nonce': given }).flat();
}
