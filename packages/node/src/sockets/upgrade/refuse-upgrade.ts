/**
 * Answers a request that may not become a socket with the error document of the HTTP API, and closes it.
 */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorDocument, errorEntry } from 'svc-api';
import type { Refusal } from '../ports.ts';

export function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  const { status, hint } = errorEntry(refusal.code);
  const document: ErrorDocument = {
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
  const body = JSON.stringify(document);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
