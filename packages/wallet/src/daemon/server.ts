/**
 * The listener: JSON-RPC over `POST /v1/rpc` and the WebSocket `/v1/ws`, `/health` and `/openrpc.json`. It is open
 * before the wallet has read the chain, and answers while the wallet reads.
 */
import type { IncomingMessage } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { openRpcDocument } from 'svc-api/rpc';
import type { Clock } from 'svc-base/pure';
import { type WebSocket, WebSocketServer } from 'ws';
import { isNonce, proveDigest } from '../file/token-proof.ts';
import { VERSION } from '../version.ts';
import type { Wallet } from '../wallet.ts';
import { AccessControl, type Grants, guard, type Refusal } from './access.ts';
import { CallMeter } from './call-meter.ts';
import type { DaemonCertificate } from './certificate.ts';
import { dispatch } from './dispatch.ts';
import {
  BAD_NONCE,
  BUSY,
  codeOf,
  refuse,
  refuseUpgrade,
  TOO_MANY_GUESSES,
  UNAUTHORIZED,
  UNKNOWN_ROUTE,
} from './refusals.ts';
import { RpcSocket } from './rpc-socket.ts';

export interface ServerOptions {
  readonly wallet: Wallet;
  readonly grants: Grants;
  readonly host: string;
  readonly port: number;
  readonly isRemote: boolean;
  readonly hostNames: readonly string[];
  /** With one the daemon speaks TLS and nothing else. */
  readonly certificate?: DaemonCertificate | undefined;
  readonly clock: Clock;
  /** Called when an answer has been handed to the system. */
  readonly onReplied?: () => void;
  /** A client that takes longer for the head of a request is cut off. */
  readonly headersMillisMax?: number;
  /** Connections beyond this many are told that the daemon is busy. */
  readonly connectionsMax?: number;
}

const BODY_BYTES_MAX = 128 * 1024;
const CONNECTIONS_MAX = 256;
/** Connections beyond the limit that are answered; further ones are closed without a word. */
const TOLD_MAX = 1_024;
const SOCKETS_MAX = 64;
const PING_MILLIS = 30_000;
const HEADERS_MILLIS_MAX = 5_000;

export class DaemonServer {
  readonly #app: FastifyInstance;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: BODY_BYTES_MAX,
    perMessageDeflate: false,
  });
  readonly #options: ServerOptions;
  readonly meter = new CallMeter();
  readonly access: AccessControl;
  readonly #pings: NodeJS.Timeout;
  /** Sockets that have not answered the last ping. */
  readonly #waiting = new WeakSet<WebSocket>();
  /** Connections that are served. */
  readonly #served = new Set<Duplex>();
  #certificate: DaemonCertificate | undefined;
  #port = 0;

  static async listen(options: ServerOptions): Promise<DaemonServer> {
    const server = new DaemonServer(options);
    await server.#listen();
    return server;
  }

  private constructor(options: ServerOptions) {
    this.#options = options;
    this.#certificate = options.certificate;
    this.access = new AccessControl(options.grants, options.clock);
    this.#app = appOf(options);
    const connectionsMax = options.connectionsMax ?? CONNECTIONS_MAX;
    this.#app.server.maxConnections = connectionsMax + TOLD_MAX;
    const opened = options.certificate === undefined ? 'connection' : 'secureConnection';
    this.#app.server.on(opened, (socket: Duplex) => this.#place(socket, connectionsMax));
    this.#addRoutes();
    this.#app.server.on('upgrade', (request, socket, head) => {
      void this.#upgrade(request, socket, head);
    });
    this.#pings = setInterval(() => this.#ping(), PING_MILLIS).unref();
  }

  get url(): string {
    const { host } = this.#options;
    const name = host.includes(':') ? `[${host}]` : host;
    const scheme = this.#certificate === undefined ? 'http' : 'https';
    return `${scheme}://${name === '0.0.0.0' ? '127.0.0.1' : name}:${this.#port}`;
  }

  /** New connections are shown this certificate; open ones go on. The daemon was opened with one. */
  renewCertificate(certificate: DaemonCertificate): void {
    (this.#app.server as TlsServer).setSecureContext(certificate.context);
    this.#certificate = certificate;
  }

  async close(): Promise<void> {
    clearInterval(this.#pings);
    for (const socket of this.#sockets.clients) socket.close(1001, 'the daemon ends');
    this.#sockets.close();
    await this.#app.close();
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  async #listen(): Promise<void> {
    const { host, port } = this.#options;
    await this.#app.listen({ host, port });
    this.#port = (this.#app.server.address() as AddressInfo).port;
  }

  /** Gives a new connection one of the places; one that finds none is answered `busy` and closed. */
  #place(socket: Duplex, connectionsMax: number): void {
    if (this.#served.size >= connectionsMax) return;
    this.#served.add(socket);
    socket.once('close', () => this.#served.delete(socket));
  }

  #guard(request: IncomingMessage): Refusal | undefined {
    const { hostNames, isRemote } = this.#options;
    const isCertified = this.#certificate?.isFor;
    return guard(request, { port: this.#port, isRemote, hostNames, isCertified });
  }

  #addRoutes(): void {
    const app = this.#app;
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) =>
      done(null, body),
    );
    app.addHook('onRequest', async (request, reply) => {
      if (!this.#served.has(request.raw.socket)) {
        await readAway(request.raw);
        return await refuse(reply.header('connection', 'close'), BUSY);
      }
      const refused = this.#guard(request.raw);
      if (refused !== undefined) await refuse(reply, refused);
    });
    app.setErrorHandler((error: { statusCode?: number; message: string }, _, reply) => {
      const status = error.statusCode ?? 500;
      const message = status < 500 ? error.message : 'the daemon failed at this request';
      return refuse(reply, { status, code: codeOf(status), message });
    });
    app.setNotFoundHandler((_, reply) => refuse(reply, UNKNOWN_ROUTE));
    app.get('/health', (_, reply) => reply.type('text/plain').send('ok'));
    app.get('/openrpc.json', () => openRpcDocument(VERSION));
    app.get<{ Params: { nonce: string } }>('/v1/proof/:nonce', (request, reply) => {
      const { nonce } = request.params;
      if (!isNonce(nonce)) return refuse(reply, BAD_NONCE);
      const grants = this.#options.grants();
      const proofs = grants.map(({ digest }) =>
        proveDigest(digest.toString('hex'), nonce, this.#port),
      );
      return { api_version: 1, proofs };
    });
    app.post('/v1/rpc', {
      onRequest: async (request, reply) => {
        const grant = await this.access.check(request.headers.authorization);
        if (grant === undefined) return await refuse(reply, UNAUTHORIZED);
        if (grant === 'busy') return await refuse(reply, TOO_MANY_GUESSES);
        request.grant = grant;
      },
      handler: async (request, reply) => {
        const { wallet } = this.#options;
        const answer = await dispatch(request.body as string, {
          grant: request.grant ?? NOTHING,
          wallet,
          connection: null,
          meter: this.meter,
        });
        reply.header('cache-control', 'no-store');
        reply.raw.once('finish', () => this.#options.onReplied?.());
        return answer === undefined ? reply.code(204).send() : answer;
      },
    });
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const isServed = this.#served.has(socket);
    const refused = isServed ? (this.#guard(request) ?? this.#upgradeRefusal(request)) : BUSY;
    if (refused !== undefined) {
      refuseUpgrade(socket, refused);
      return;
    }
    const grant = await this.access.check(request.headers.authorization);
    if (grant === undefined || grant === 'busy' || socket.destroyed) {
      refuseUpgrade(socket, grant === 'busy' ? TOO_MANY_GUESSES : UNAUTHORIZED);
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (accepted) => {
      accepted.on('pong', () => this.#waiting.delete(accepted));
      const isValid = (): boolean => this.access.isValid(grant);
      new RpcSocket(accepted, this.#options.wallet, { grant, isValid, meter: this.meter });
    });
  }

  #upgradeRefusal(request: IncomingMessage): Refusal | undefined {
    const [path] = (request.url ?? '').split('?');
    if (path !== '/v1/ws') return UNKNOWN_ROUTE;
    if (this.#sockets.clients.size < SOCKETS_MAX) return undefined;
    return BUSY;
  }

  /** Ends connections whose peer is gone without a word: no pong came since the last ping. */
  #ping(): void {
    for (const socket of this.#sockets.clients) {
      if (this.#waiting.has(socket)) socket.terminate();
      this.#waiting.add(socket);
      socket.ping();
    }
  }
}

function appOf({ certificate, headersMillisMax }: ServerOptions): FastifyInstance {
  const headersTimeout = headersMillisMax ?? HEADERS_MILLIS_MAX;
  const connectionsCheckingInterval = Math.min(1_000, headersTimeout);
  const http = { headersTimeout, connectionsCheckingInterval };
  const options = {
    bodyLimit: BODY_BYTES_MAX,
    forceCloseConnections: true,
    requestTimeout: 10_000,
    keepAliveTimeout: 5_000,
    maxRequestsPerSocket: 1_000,
    logger: false,
  };
  if (certificate === undefined) return Fastify({ ...options, http });
  const https = { ...certificate.context, ...http, handshakeTimeout: headersTimeout };
  return Fastify({ ...options, https });
}

/**
 * Reads the body of a request to its end, up to the limit: a connection that is closed while bytes of its peer are
 * unread is reset, and the peer may never see the answer.
 */
async function readAway(request: IncomingMessage): Promise<void> {
  let bytes = 0;
  try {
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      bytes += (part as Buffer).length;
      if (bytes > BODY_BYTES_MAX) return;
    }
  } catch {
    // The peer has gone; the answer goes nowhere.
  }
}

/** What a call without a checked token may do; no call gets that far. */
const NOTHING = { name: '', limits: null, scopes: [] } as const;

declare module 'fastify' {
  interface FastifyRequest {
    grant?: import('./access.ts').Grant;
  }
}
