/**
 * Answers a request that may not become a socket with the error document of the HTTP API, and closes it.
 */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorEntry } from 'svc-api';
import { JSON_MEDIA, NO_STORE } from '../../http/answers/headers.ts';
import { errorDocument, type Refusal } from '../../http/answers/refused.ts';

export function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  const { status } = errorEntry(refusal.code);
  const body = JSON.stringify(errorDocument(refusal));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    `content-type: ${JSON_MEDIA}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `cache-control: ${NO_STORE}`,
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
