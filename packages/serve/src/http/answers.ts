/**
 * Headers of every answer, as lists of names and values. None of them carries meaning that a signature would
 * have to cover. What is the same for many answers is put together once.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { CachingClass, Route } from 'svc-api';
import { fromHex } from 'svc-wasm/base';
import type { NodeIdentity } from '../ports.ts';
import { errorDocument, type Refusal, statusOf } from '../refusal.ts';
import type { OriginVerdict } from './guards/request-guard.ts';

/** Names and values in turn. */
type HeaderList = readonly string[];

export const JSON_MEDIA = 'application/json; charset=utf-8';
const TEXT_MEDIA = 'text/plain; charset=utf-8';
export const HTML_MEDIA = 'text/html; charset=utf-8';

export const NO_STORE = 'no-store';

const CACHING: Readonly<Record<CachingClass, string>> = {
  no_store: NO_STORE,
  revalidate: 'no-cache',
  immutable: 'public, max-age=31536000, immutable',
  static: 'public, max-age=300',
};

/** The caching of an answer; one that can still change is asked for again. */
function cachingOf(caching: CachingClass, isFinal: boolean): string {
  return caching === 'immutable' && !isFinal ? CACHING.revalidate : CACHING[caching];
}

interface CommonHeaders {
  readonly media: string;
  readonly caching: string;
  /** Request headers that the answer depends on beside the origin. */
  readonly vary?: string;
  readonly policy?: string;
}

const NO_CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'";

export function commonHeaders({ media, caching, vary, policy }: CommonHeaders): HeaderList {
  return [
    'content-type',
    media,
    'cache-control',
    caching,
    'vary',
    vary === undefined ? 'origin' : `origin, ${vary}`,
    'x-content-type-options',
    'nosniff',
    'referrer-policy',
    'no-referrer',
    'cross-origin-resource-policy',
    'same-origin',
    'content-security-policy',
    policy ?? NO_CONTENT_POLICY,
  ];
}

const EXPOSED = [
  'retry-after',
  'x-svc-envelope-version',
  'x-svc-node-identity',
  'x-svc-request-nonce',
  'x-svc-tip-height',
  'x-svc-signature',
].join(', ');

export function corsHeaders(origin: string): HeaderList {
  return ['access-control-allow-origin', origin, 'access-control-expose-headers', EXPOSED];
}

const PREFLIGHT_SECONDS = 600;

export function preflightHeaders(
  origin: string,
  methods: string,
  isPrivateNetwork: boolean,
): HeaderList {
  return [
    'access-control-allow-origin',
    origin,
    'access-control-allow-methods',
    methods,
    'access-control-allow-headers',
    'content-type, x-svc-request-nonce',
    'access-control-max-age',
    String(PREFLIGHT_SECONDS),
    'vary',
    'origin, access-control-request-method, access-control-request-headers',
    ...(isPrivateNetwork ? ['access-control-allow-private-network', 'true'] : []),
  ];
}

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

interface Outgoing {
  readonly status: number;
  readonly body: string;
  readonly height: number;
  /** Headers of an answer that may be cached; a signed answer never is. */
  readonly headers: HeaderList;
  /** The same headers with `no-store`, for a signed answer. */
  readonly uncached: HeaderList;
}

const NOTHING = new Uint8Array(0);

/**
 * One request on its way through the server: who sent it, and how its answer goes out. An answer is signed over
 * the exact bytes that were received and are sent; 429 and 503 never are.
 *
 * Answers are written past the framework, in one piece with their head: it halves what an answer costs.
 */
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

export interface Answer<Document> {
  readonly height: number;
  readonly document?: Document;
  /** Instead of a document: the body as it is sent. */
  readonly text?: string;
  /** Whether the answer never changes again; only routes of the class `immutable` say so. */
  readonly isFinal?: boolean;
  /** Headers that differ from those of the route. */
  readonly headers?: Partial<CommonHeaders>;
}

/** Puts the headers of a route together once; the function it returns dresses each answer in them. */
export function outgoingOf(route: Route): (answer: Answer<unknown>) => Outgoing {
  const media = route.media === 'application/json' ? JSON_MEDIA : TEXT_MEDIA;
  const common = (isFinal: boolean) => ({ media, caching: cachingOf(route.caching, isFinal) });
  const final = commonHeaders(common(true));
  const passing = commonHeaders(common(false));
  const uncached = commonHeaders({ media, caching: NO_STORE });
  return (answer) => {
    const { height, headers: others } = answer;
    const isFinal = answer.isFinal === true;
    const body = answer.text ?? JSON.stringify(answer.document);
    if (others === undefined) {
      return { status: 200, body, height, headers: isFinal ? final : passing, uncached };
    }
    return {
      status: 200,
      body,
      height,
      headers: commonHeaders({ ...common(isFinal), ...others }),
      uncached: commonHeaders({ media, ...others, caching: NO_STORE }),
    };
  };
}

const ANSWER_BYTES_MAX = 1 << 20;
/** Bytes kept free for the fields around the rows. */
const RESERVED_BYTES = 4_096;
/** No row is longer than 500 bytes, so that so many fit without being measured. */
const FITTING_ROWS = 2_048;

/** How many of the rows fit. */
export function fittingRows(rows: readonly object[]): number {
  if (rows.length <= FITTING_ROWS) return rows.length;
  let left = ANSWER_BYTES_MAX - RESERVED_BYTES;
  for (const [index, row] of rows.entries()) {
    left -= JSON.stringify(row).length + 1;
    if (left < 0) return index;
  }
  return rows.length;
}
