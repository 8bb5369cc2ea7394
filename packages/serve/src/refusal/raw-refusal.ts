/**
 * Refusals on a bare connection, without an HTTP response to write to: of what is not HTTP/1.1 or did not arrive
 * in time, and of a request that may not become a socket. The connection is closed.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errorEntry } from 'svc-api';
import { errorDocument, type Refusal } from './refused.ts';

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
