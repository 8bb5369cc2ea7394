/**
 * A connection to a mining server: bytes out, bytes in, an end. TCP, TLS and WebSocket look the same.
 */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { messageOf } from 'svc-base/pure';
import type { ServerUrl } from './server-url.ts';

export interface TransportEvents {
  readonly onOpen: () => void;
  readonly onBytes: (bytes: Uint8Array) => void;
  /** Called once, also for a connection that did not come about. */
  readonly onEnd: (reason: string) => void;
}

export interface Transport {
  send(bytes: Uint8Array): void;
  close(): void;
}

export interface TransportOptions {
  /** Certificate authorities in PEM beside those of the system, for servers with certificates of their own. */
  readonly certificateAuthority?: string;
}

const CONNECT_MILLIS = 10_000;
/** Silence of so long is looked into by the operating system. */
const KEEP_ALIVE_MILLIS = 30_000;

export function openTransport(
  server: ServerUrl,
  events: TransportEvents,
  options: TransportOptions = {},
): Transport {
  return server.transport === 'ws'
    ? openWebSocket(server, events)
    : openSocket(server, events, options);
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
  const end = once(onEnd);
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

function openWebSocket(
  { href }: ServerUrl,
  { onOpen, onBytes, onEnd }: TransportEvents,
): Transport {
  const socket = new WebSocket(href, 'svc-mining-v1');
  const end = once(onEnd);
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  socket.addEventListener('open', onOpen);
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') onBytes(encoder.encode(`${data}\n`));
    else socket.close();
  });
  socket.addEventListener('error', () => end('the WebSocket could not be opened or broke'));
  socket.addEventListener('close', ({ code }) => end(`the server closed the WebSocket (${code})`));
  return {
    // One line is one text message, without its line feed.
    send: (bytes) => socket.send(decoder.decode(bytes).trimEnd()),
    close: () => socket.close(),
  };
}

function once(call: (reason: string) => void): (reason: string) => void {
  let isDone = false;
  return (reason) => {
    if (isDone) return;
    isDone = true;
    call(reason);
  };
}
