/**
 * Answers what is not HTTP/1.1, or did not arrive in time, and closes the connection.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, errorEntry } from 'svc-api';
import { JSON_MEDIA } from './answers/headers.ts';
import { errorDocument } from './answers/refused.ts';

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

export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = CODES[error.code ?? ''] ?? 'bad_request';
  const { status } = errorEntry(code);
  const message = MESSAGES[code] ?? 'expected a request in HTTP/1.1';
  const body = JSON.stringify(errorDocument({ code, message }));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    `content-type: ${JSON_MEDIA}`,
    'cache-control: no-store',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
