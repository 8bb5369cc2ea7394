/**
 * What every listener of the wallet does before it looks at a call: it speaks TLS where it has a certificate, gives
 * connections their places and tells those that find none, and lets no web page in. It knows nothing of wallets.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { guard, type Refusal } from './access.ts';
import type { DaemonCertificate } from './certificate.ts';
import { BUSY, codeOf, refuse, refuseUpgrade, UNKNOWN_ROUTE } from './refusals.ts';
import { BODY_BYTES_MAX } from './usual-head.ts';
import type { ConnectionTerms, WholeCalls } from './whole-calls.ts';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly isRemote: boolean;
  readonly hostNames: readonly string[];
  /** With one the daemon speaks TLS and nothing else. */
  readonly certificate?: DaemonCertificate | undefined;
  /** A client that takes longer for the head of a request is cut off. */
  readonly headersMillisMax?: number;
  /** Connections beyond this many are told that the daemon is busy. */
  readonly connectionsMax?: number;
}

/** Takes a request for a WebSocket over, or says why not. */
export type TakeUpgrade = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) => Promise<Refusal | undefined>;

/** Answers a request without the framework, or leaves it untouched and says so. */
export type TakeRequest = (request: IncomingMessage, response: ServerResponse) => boolean;

export const CONNECTIONS_MAX = 256;
/** Connections beyond the limit that are answered; further ones are closed without a word. */
const TOLD_MAX = 1_024;
const HEADERS_MILLIS_MAX = 5_000;
/** A connection that is not used is closed after this long, and answers say so; it is given a moment more. */
const IDLE_MILLIS_MAX = 5_000;
const IDLE_MOMENT_MILLIS = 1_000;
const REQUESTS_MAX = 1_000;

export class Listener {
  readonly app: FastifyInstance;
  readonly #options: ListenerOptions;
  /** Connections that are served. */
  readonly #served = new Set<Duplex>();
  #certificate: DaemonCertificate | undefined;
  #port = 0;
  #isClosing = false;
  #wholeCalls: Pick<WholeCalls, 'close' | 'take'> | undefined;

  constructor(options: ListenerOptions, takeUpgrade: TakeUpgrade) {
    this.#options = options;
    this.#certificate = options.certificate;
    this.app = appOf(options);
    const connectionsMax = options.connectionsMax ?? CONNECTIONS_MAX;
    this.app.server.maxConnections = connectionsMax + TOLD_MAX;
    this.#takeConnections(connectionsMax);
    this.#addHooks();
    this.app.server.on('upgrade', (request, socket, head) => {
      void this.#upgrade(request, socket, head, takeUpgrade);
    });
  }

  get url(): string {
    const { host } = this.#options;
    const name = host.includes(':') ? `[${host}]` : host;
    const scheme = this.#certificate === undefined ? 'http' : 'https';
    return `${scheme}://${name === '0.0.0.0' ? '127.0.0.1' : name}:${this.#port}`;
  }

  /** 0 before it listens. */
  get port(): number {
    return this.#port;
  }

  async listen(): Promise<void> {
    const { host, port } = this.#options;
    await this.app.listen({ host, port });
    this.#port = (this.app.server.address() as AddressInfo).port;
  }

  /** New connections are shown this certificate; open ones go on. The listener was made with one. */
  renewCertificate(certificate: DaemonCertificate): void {
    (this.app.server as TlsServer).setSecureContext(certificate.context);
    this.#certificate = certificate;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#wholeCalls?.close();
    await this.app.close();
  }

  /** Offers requests to `take` before the framework gets them, except those that the listener refuses itself. */
  answerDirectly(take: TakeRequest): void {
    const { server } = this.app;
    const [framework] = server.listeners('request') as RequestListener[];
    if (framework === undefined) throw new Error('the framework answers no requests');
    server.removeAllListeners('request');
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const isWelcome =
        !this.#isClosing && this.#served.has(request.socket) && this.#guard(request) === undefined;
      if (!isWelcome || !take(request, response)) framework(request, response);
    });
  }

  /** Has calls that come whole answered from their connections. */
  answerWhole(calls: Pick<WholeCalls, 'close' | 'take'>): void {
    this.#wholeCalls = calls;
  }

  /** Gives new connections a place, and to whoever answers them: the platform's protocol gets those that nobody takes. */
  #takeConnections(connectionsMax: number): void {
    const { server } = this.app;
    const opened = this.#certificate === undefined ? 'connection' : 'secureConnection';
    const [platform] = server.listeners(opened) as ((socket: Socket) => void)[];
    if (platform === undefined) throw new Error('the platform answers no connections');
    server.removeListener(opened, platform);
    const handOver = (socket: Socket): void => platform.call(server, socket);
    const headersMillisMax = this.#options.headersMillisMax ?? HEADERS_MILLIS_MAX;
    const terms: ConnectionTerms = {
      isOwnHost: (host) => !this.#isClosing && this.#guard({ headers: { host } }) === undefined,
      handOver,
      firstMillisMax: headersMillisMax,
      idleMillisMax: IDLE_MILLIS_MAX + IDLE_MOMENT_MILLIS,
      idleSeconds: IDLE_MILLIS_MAX / 1_000,
      callsMax: REQUESTS_MAX,
    };
    server.on(opened, (socket: Socket) => {
      const isServed = this.#place(socket, connectionsMax) && !this.#isClosing;
      if (isServed && this.#wholeCalls !== undefined) this.#wholeCalls.take(socket, terms);
      else handOver(socket);
    });
  }

  /** Gives a new connection one of the places; one that finds none is answered `busy` and closed. */
  #place(socket: Duplex, connectionsMax: number): boolean {
    if (this.#served.size >= connectionsMax) return false;
    this.#served.add(socket);
    socket.once('close', () => this.#served.delete(socket));
    return true;
  }

  #guard(request: Pick<IncomingMessage, 'headers'>): Refusal | undefined {
    const { hostNames, isRemote } = this.#options;
    const isCertified = this.#certificate?.isFor;
    return guard(request, { port: this.#port, isRemote, hostNames, isCertified });
  }

  #addHooks(): void {
    const { app } = this;
    app.removeAllContentTypeParsers();
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
  }

  async #upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    take: TakeUpgrade,
  ): Promise<void> {
    socket.on('error', () => socket.destroy());
    const refused = this.#served.has(socket) ? this.#guard(request) : BUSY;
    const refusal = refused ?? (await take(request, socket, head));
    if (refusal !== undefined) refuseUpgrade(socket, refusal);
  }
}

function appOf({ certificate, headersMillisMax }: ListenerOptions): FastifyInstance {
  const headersTimeout = headersMillisMax ?? HEADERS_MILLIS_MAX;
  const connectionsCheckingInterval = Math.min(1_000, headersTimeout);
  const http = { headersTimeout, connectionsCheckingInterval };
  const options = {
    bodyLimit: BODY_BYTES_MAX,
    forceCloseConnections: true,
    requestTimeout: 10_000,
    keepAliveTimeout: IDLE_MILLIS_MAX,
    maxRequestsPerSocket: REQUESTS_MAX,
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
