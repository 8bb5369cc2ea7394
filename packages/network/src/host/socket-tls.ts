/**
 * TLS of libp2p spoken on the socket of a TCP connection itself. The package's own way puts a JavaScript stream between
 * the socket and Node's TLS, so that every encrypted byte passes through JavaScript twice, and it stays in use for
 * connections that have no socket. Certificates and peer ids are the package's, made and judged by it.
 */
import { Socket } from 'node:net';
import { connect, TLSSocket } from 'node:tls';
import {
  type ConnectionEncrypter,
  InvalidCryptoExchangeError,
  type MessageStream,
  type SecureConnectionOptions,
  type SecuredConnection,
  type StreamMuxerFactory,
  serviceCapabilities,
} from '@libp2p/interface';
import { type TLSComponents, tls } from '@libp2p/tls';
import { generateCertificate, toMessageStream, verifyPeerCertificate } from '@libp2p/tls/utils';

/** Offered when the muxer is agreed on only after the connection is encrypted. */
const NO_MUXER = 'libp2p';

/** The peer id in its certificate identifies the other side: no authority signs certificates here. */
const SETTINGS = {
  minVersion: 'TLSv1.3',
  maxVersion: 'TLSv1.3',
  rejectUnauthorized: false,
} as const;

export function socketTls(): (components: TLSComponents) => ConnectionEncrypter {
  return (components) => new SocketTls(components);
}

class SocketTls implements ConnectionEncrypter {
  readonly [Symbol.toStringTag] = 'svc-socket-tls';
  readonly [serviceCapabilities] = ['@libp2p/connection-encryption'];
  readonly protocol: string;
  readonly #components: TLSComponents;
  readonly #packaged: ConnectionEncrypter;

  constructor(components: TLSComponents) {
    this.#components = components;
    this.#packaged = tls()(components);
    this.protocol = this.#packaged.protocol;
  }

  async secureInbound(
    connection: MessageStream,
    options?: SecureConnectionOptions,
  ): Promise<SecuredConnection> {
    const socket = socketOf(connection);
    return socket === undefined
      ? await this.#packaged.secureInbound(connection, options)
      : await this.#secure(connection, socket, options, acceptTls);
  }

  async secureOutbound(
    connection: MessageStream,
    options?: SecureConnectionOptions,
  ): Promise<SecuredConnection> {
    const socket = socketOf(connection);
    return socket === undefined
      ? await this.#packaged.secureOutbound(connection, options)
      : await this.#secure(connection, socket, options, beginTls);
  }

  async #secure(
    connection: MessageStream,
    plain: Socket,
    options: SecureConnectionOptions | undefined,
    wrap: (socket: Socket, settings: Settings) => TLSSocket,
  ): Promise<SecuredConnection> {
    const muxers =
      options?.skipStreamMuxerNegotiation === true
        ? new Map<string, StreamMuxerFactory>()
        : this.#components.upgrader.getStreamMuxers();
    const certificate = await generateCertificate(this.#components.privateKey, options);
    options?.signal?.throwIfAborted();
    const ALPNProtocols = [...muxers.keys(), NO_MUXER];
    takeOver(connection, plain);
    const socket = wrap(plain, { ...SETTINGS, ...certificate, ALPNProtocols });
    socket.on('error', (error) => connection.abort(error));
    endOnBadRecords(socket);
    try {
      await handshake(socket, options?.signal);
      const { raw } = socket.getPeerCertificate();
      if (raw === undefined) throw new InvalidCryptoExchangeError('no certificate');
      const remotePeer = await verifyPeerCertificate(raw, options?.remotePeer, connection.log);
      const streamMuxer = muxers.get(String(socket.alpnProtocol));
      const secured = { remotePeer, connection: toMessageStream(connection, socket) };
      return streamMuxer === undefined ? secured : { ...secured, streamMuxer };
    } catch (error) {
      socket.destroy();
      connection.abort(error as Error);
      throw error;
    }
  }
}

type Settings = typeof SETTINGS &
  Awaited<ReturnType<typeof generateCertificate>> & { readonly ALPNProtocols: string[] };

function acceptTls(socket: Socket, settings: Settings): TLSSocket {
  return new TLSSocket(socket, { ...settings, isServer: true, requestCert: true });
}

function beginTls(socket: Socket, settings: Settings): TLSSocket {
  return connect({ ...settings, socket });
}

/** The TCP transport keeps its socket in a field that its type does not show. */
export function socketOf(connection: MessageStream): Socket | undefined {
  return 'socket' in connection && connection.socket instanceof Socket
    ? connection.socket
    : undefined;
}

/**
 * Stops a connection from reading its socket, and gives back to the socket what was read too far: the other side may begin
 * its handshake before it has read that TLS is agreed on.
 */
function takeOver(connection: MessageStream, socket: Socket): void {
  if (socket.destroyed) throw new InvalidCryptoExchangeError('closed before its handshake');
  socket.removeAllListeners('data');
  const ahead: Uint8Array[] = [];
  const keep = ({ data }: { data: Uint8Array | { subarray(): Uint8Array } }): void => {
    ahead.push(data.subarray());
  };
  // Buffered data reaches listeners only when a paused connection resumes.
  connection.pause();
  connection.addEventListener('message', keep);
  connection.resume();
  connection.removeEventListener('message', keep);
  socket.pause();
  if (ahead.length > 0) socket.unshift(Buffer.concat(ahead));
}

/**
 * Closes a socket that received a record which cannot be decrypted. For a socket that no server of Node accepted,
 * this event is the only report, and Node would notice at the next write; the event comes from within OpenSSL.
 */
function endOnBadRecords(socket: TLSSocket): void {
  socket.on('_tlsError', (error: Error) => void setImmediate(() => socket.destroy(error)));
}

/**
 * Throws if the connection is closed or the signal aborts before both sides have agreed on keys. Node reports the
 * agreement from within OpenSSL, and closing a socket before that call has returned ends the process.
 */
async function handshake(socket: TLSSocket, signal: AbortSignal | undefined): Promise<void> {
  const { promise, reject, resolve } = Promise.withResolvers<void>();
  const onAbort = (): void => reject(signal?.reason);
  const onClose = (): void => reject(new InvalidCryptoExchangeError('closed in its handshake'));
  const onSecure = (): void => void setImmediate(resolve);
  socket.once('secure', onSecure).once('error', reject).once('close', onClose);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    signal?.throwIfAborted();
    await promise;
  } finally {
    socket.off('secure', onSecure).off('error', reject).off('close', onClose);
    signal?.removeEventListener('abort', onAbort);
  }
}
