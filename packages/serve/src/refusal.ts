/**
 * Refusals: as errors, as documents of the contract, and on a bare connection that has no HTTP response. The catalogue of
 * errors gives status and hint; nothing of the inside of the node goes into a refusal.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, type ErrorDocument, errorEntry, isErrorCode } from 'svc-api';
import { faultOf } from 'svc-api/check';
import { SvcError } from 'svc-wasm/base';
import type { TSchema } from 'typebox';

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path?: string | undefined;
  readonly retryAfterMillis?: number | undefined;
  /** Replaces the status of the catalogue. */
  readonly status?: number | undefined;
  /** For status 405: the methods that the path allows. */
  readonly allow?: string | undefined;
  /** Whether the connection ends with the answer. */
  readonly closes?: boolean;
}

type RefusalOptions = Partial<Pick<Refusal, 'path' | 'retryAfterMillis' | 'status'>>;

/**
 * A refusal on its way to the client. The catalogue gives its status and hint; nothing of the inside of the
 * node goes into it.
 */
export class Refused extends Error implements Refusal {
  override readonly name = 'Refused';
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly retryAfterMillis: number | undefined;
  readonly status: number | undefined;

  constructor(code: ErrorCode, message: string, options: RefusalOptions = {}) {
    super(message);
    this.code = code;
    this.path = options.path;
    this.retryAfterMillis = options.retryAfterMillis;
    this.status = options.status;
  }
}

/** Refuses a value that does not fit a schema of the contract, with the path of the first field that is wrong. */
export function expectFit(schema: TSchema, value: unknown): void {
  const fault = faultOf(schema, value);
  if (fault === undefined) return;
  const { code, message, path } = fault;
  throw new Refused(code, message, path === '' ? {} : { path });
}

/** What an error says to a client; undefined if it is a fault of the node. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refused) return error;
  if (error instanceof SvcError && isErrorCode(error.code)) {
    return { code: error.code, message: error.message, path: error.path };
  }
  return undefined;
}

export function statusOf({ code, status }: Refusal): number {
  return status ?? errorEntry(code).status;
}

export function errorDocument(refusal: Refusal): ErrorDocument {
  const { hint } = errorEntry(refusal.code);
  return {
    api_version: 1,
    error: {
      code: refusal.code,
      message: refusal.message,
      ...(refusal.path === undefined ? {} : { path: refusal.path }),
      ...(hint === undefined ? {} : { hint }),
    },
    ...(refusal.retryAfterMillis === undefined
      ? {}
      : { retry_after_millis: refusal.retryAfterMillis }),
  };
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const MESSAGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  headers_too_large: 'expected at most 16 KiB of headers',
  body_too_large: 'expected chunks without extensions',
  request_timeout: 'expected the request within 10 seconds',
};

/** Answers what the parser could not read as a request. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = CODES[error.code ?? ''] ?? 'bad_request';
  const message = MESSAGES[code] ?? 'expected a request in HTTP/1.1';
  endWith(socket, { code, message });
}

/** Answers a request that may not become a socket with the error document of the HTTP API. */
export function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  endWith(socket, refusal);
}

function endWith(socket: Duplex, refusal: Refusal): void {
  const { status } = errorEntry(refusal.code);
  const body = JSON.stringify(errorDocument(refusal));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    'cache-control: no-store',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
