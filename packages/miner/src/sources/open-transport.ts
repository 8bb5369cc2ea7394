/**
 * Opens connections to mining servers from a program: TCP, TLS or WebSocket, as the address says.
 */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { messageOf } from 'svc-base/pure';
import type { ServerUrl } from './server-url.ts';
import { type OpenTransport, type Transport, type TransportEvents, toldOnce } from './transport.ts';
import { openWebSocket } from './web-socket.ts';

export interface TransportOptions {
  /** Certificate authorities in PEM beside those of the system, for servers with certificates of their own. */
  readonly certificateAuthority?: string;
}

const CONNECT_MILLIS = 10_000;
/** Silence of so long is looked into by the operating system. */
const KEEP_ALIVE_MILLIS = 30_000;

export function transportOpener(options: TransportOptions = {}): OpenTransport {
  return (server, events) =>
    server.transport === 'ws' ? openWebSocket(server, events) : openSocket(server, events, options);
}

function openSocket(
  { transport, host, port }: ServerUrl,
  { onOpen, onBytes, onEnd }: TransportEvents,
  { certificateAuthority: ca }: TransportOptions,
): Transport {
  const isTls = transport === 'tls';
  const socket: Socket = isTls
    ? connectTls({ host, port, servername: host, ...(ca === undefined ? {} : { ca }) })
    : connectTcp({ host, port });
  const end = toldOnce(onEnd);
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MILLIS);
  socket.setTimeout(CONNECT_MILLIS, () => socket.destroy(new Error('no connection in time')));
  socket.once(isTls ? 'secureConnect' : 'connect', () => {
    socket.setTimeout(0);
    onOpen();
  });
  socket.on('data', onBytes);
  socket.on('error', (error) => end(messageOf(error)));
  socket.on('close', () => end('the server closed the connection'));
  return { send: (bytes) => void socket.write(bytes), close: () => void socket.destroy() };
}
