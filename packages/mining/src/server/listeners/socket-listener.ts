/**
 * Listeners of raw sockets, plain and with TLS. Both forms of the protocol come over either.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { Bind } from 'svc-base/node';
import { type Listening, listenAt } from 'svc-base/node';
import type { Accept } from '../transport.ts';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const KEEP_ALIVE_MILLIS = 60_000;
const HANDSHAKE_MILLIS = 10_000;

export async function listenTcp(bind: Bind, accept: Accept): Promise<Listening> {
  const server = createServer({
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MILLIS,
  });
  server.on('connection', (socket) => attach(socket, 'tcp', accept));
  return listen(server, bind);
}

export async function listenTls(
  bind: Bind,
  certificate: Certificate,
  accept: Accept,
): Promise<Listening> {
  const server = createTlsServer({
    ...certificate,
    minVersion: 'TLSv1.2',
    handshakeTimeout: HANDSHAKE_MILLIS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MILLIS,
  });
  server.on('secureConnection', (socket) => attach(socket, 'tls', accept));
  server.on('tlsClientError', (_, socket) => socket.destroy());
  return listen(server, bind);
}

function attach(socket: Socket, kind: 'tcp' | 'tls', accept: Accept): void {
  socket.on('error', () => socket.destroy());
  const events = accept({
    kind,
    remoteAddress: socket.remoteAddress,
    get unsent() {
      return socket.writableLength;
    },
    send: (bytes) => {
      if (socket.writable) socket.write(bytes);
    },
    close: (isAbrupt) => {
      if (isAbrupt) socket.destroy();
      else socket.destroySoon();
    },
  });
  if (events === undefined) {
    socket.destroy();
    return;
  }
  socket.on('data', (bytes: Buffer) => events.receive(bytes));
  socket.on('close', () => events.closed());
}

async function listen(server: Server | TlsServer, bind: Bind): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  return await listenAt(server, bind, () => {
    for (const socket of sockets) socket.destroy();
  });
}
