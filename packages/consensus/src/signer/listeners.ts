/**
 * The sockets of a signer: one that only its user may open, or TCP with TLS where each side knows the other's
 * certificate by its fingerprint. The desk serves authenticated connections; all others are closed unread.
 */
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { peerFingerprint } from 'svc-base/node';
import type { Log } from 'svc-base/pure';
import { FrameSplitter, framed, type SigningDesk } from 'svc-consensus/shell';
import { SvcError } from 'svc-wasm/base';

export interface TlsListener {
  readonly host: string;
  readonly port: number;
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  /** Fingerprints of the certificates of the admitted nodes. */
  readonly fingerprints: readonly string[];
}

export interface ListenerPorts {
  readonly desk: SigningDesk;
  readonly log: Log;
  /** The record could not be written: the process must end. */
  readonly onFatal: (error: unknown) => void;
}

const OWNER_ONLY_UMASK = 0o177;
const OWNER_ONLY = 0o600;
const HANDSHAKE_MILLIS = 5_000;
/** Sockets before their handshake count too. */
const SOCKETS_MAX = 64;
/** Answers that a client does not read. */
const UNREAD_BYTES_MAX = 1 << 20;

/** A socket file that a dead signer left is replaced; one with a live listener is not. */
export async function listenLocal(path: string, ports: ListenerPorts): Promise<Server> {
  const server = createServer((socket) => serve(socket, ports));
  server.maxConnections = SOCKETS_MAX;
  if (process.platform !== 'win32') await removeStale(path);
  const umask = process.platform === 'win32' ? undefined : process.umask(OWNER_ONLY_UMASK);
  try {
    await listening(server, () => server.listen(path));
  } finally {
    if (umask !== undefined) process.umask(umask);
  }
  if (process.platform !== 'win32') chmodSync(path, OWNER_ONLY);
  return server;
}

export async function listenTls(options: TlsListener, ports: ListenerPorts): Promise<Server> {
  const { host, port, certificate: cert, key, fingerprints } = options;
  const server = createTlsServer(
    {
      cert,
      key,
      requestCert: true,
      // No authority is needed: the fingerprint decides, once the handshake has proven the key.
      rejectUnauthorized: false,
      minVersion: 'TLSv1.3',
      handshakeTimeout: HANDSHAKE_MILLIS,
    },
    (socket) => {
      const fingerprint = peerFingerprint(socket);
      if (fingerprint !== undefined && fingerprints.includes(fingerprint)) serve(socket, ports);
      else {
        const address = socket.remoteAddress ?? '';
        ports.log.warn({ address, fingerprint: fingerprint ?? 'none' }, 'a stranger was cut off');
        socket.destroy();
      }
    },
  );
  server.maxConnections = SOCKETS_MAX;
  server.on('tlsClientError', () => {});
  await listening(server, () => server.listen(port, host));
  return server;
}

function serve(socket: Socket, { desk, onFatal }: ListenerPorts): void {
  const splitter = new FrameSplitter();
  socket.on('error', () => {});
  const connection = desk.connect({
    send: (frame) => {
      socket.write(framed(frame));
      if (socket.writableLength > UNREAD_BYTES_MAX) socket.destroy();
    },
    end: () => socket.destroy(),
  });
  if (connection === undefined) {
    socket.destroy();
    return;
  }
  socket.on('close', () => connection.close());
  socket.on('data', (chunk: Uint8Array) => {
    try {
      for (const frame of splitter.split(chunk)) connection.receive(frame);
    } catch (error) {
      if (error instanceof SvcError) connection.close();
      else onFatal(error);
    }
  });
}

function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    listen();
  });
}

function removeStale(path: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED') rmSync(path, { force: true });
      resolve();
    });
  });
}
