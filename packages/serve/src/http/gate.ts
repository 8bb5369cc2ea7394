/**
 * The first look at a request, before its body is read: whether the client may ask, whether the request has the
 * form that its route takes, whether the answer is to be signed.
 */
import type { IncomingMessage } from 'node:http';
import type { Route } from 'svc-api';
import type { Refusal } from '../refusal/refused.ts';
import type { Exchange } from './answers/exchange.ts';
import type { GuardVerdict, RequestGuard } from './guards/request-guard.ts';
import { bodyHeadersFault, hasBody } from './requests/bodies.ts';
import { QueryFault } from './requests/query.ts';

/** The remote address of a read made for a client of a socket: this prefix, then the key of the client. */
export const SOCKET_READ = 'socket ';

const NONCE_HEADER = 'x-svc-request-nonce';
const NONCE = /^[0-9a-f]{64}$/i;
const UNKNOWN_ROUTE_WEIGHT = 1;

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
