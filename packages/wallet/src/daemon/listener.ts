/**
 * The daemon's server before it looks at a call: TLS where there is a certificate, limits of time and of connections, and
 * no web pages. A connection that showed a valid token counts against `connectionsMax`; of the others the oldest is closed
 * when they are too many. It knows nothing of wallets.
 */
import type { IncomingMessage } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { asHostName, guard, type Refusal } from './access.ts';
import type { DaemonCertificate } from './certificate.ts';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly isRemote: boolean;
  readonly hostNames: readonly string[];
  /** With one the daemon speaks TLS and nothing else. */
  readonly certificate?: DaemonCertificate | undefined;
  /** A client that takes longer for the head of a request is cut off. */
  readonly headersMillisMax?: number;
  /** Connections with a valid token; beyond this many are told that the daemon is busy. */
  readonly connectionsMax?: number;
  /** Connections that showed none, beside those; of more, the one that came first gets `busy` and is closed. */
  readonly strangersMax?: number;
}

/** Takes a request for a WebSocket over, or says why not. */
type TakeUpgrade = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
) => Promise<Refusal | undefined>;

export const BODY_BYTES_MAX = 128 * 1024;
export const CONNECTIONS_MAX = 256;
/**
 * A program that opens many connections at once has them all open before the first one has said anything: none of those is
 * closed for another.
 */
export const STRANGERS_MAX = 4_096;
/** Connections that wait to be taken, as far as the system allows; of more, a client tries again a second later. */
const WAITING_MAX = 4_096;
const HEADERS_MILLIS_MAX = 5_000;
const REQUEST_MILLIS_MAX = 10_000;
/** An idle connection is closed after this long, and answers announce it. */
const IDLE_MILLIS_MAX = 5_000;
const REQUESTS_MAX = 1_000;

export class Listener {
  readonly app: FastifyInstance;
  readonly #options: ListenerOptions;
  readonly #connections: ConnectionLimit<Socket>;
  /** What TLS is spoken on, by its two ends, until TLS is spoken there. */
  readonly #shaking = new Map<string, Socket>();
  /** What lies under connections that speak TLS. */
  readonly #carriers = new WeakMap<Duplex, Socket>();
  #certificate: DaemonCertificate | undefined;
  #port = 0;

  constructor(options: ListenerOptions, takeUpgrade: TakeUpgrade) {
    this.#options = { ...options, hostNames: options.hostNames.map(asHostName) };
    this.#certificate = options.certificate;
    this.app = appOf(options);
    this.#connections = new ConnectionLimit({
      placesMax: options.connectionsMax ?? CONNECTIONS_MAX,
      strangersMax: options.strangersMax ?? STRANGERS_MAX,
    });
    this.#takeConnections();
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

  async listen(): Promise<void> {
    const { host, port } = this.#options;
    await this.app.listen({ host, port, backlog: WAITING_MAX });
    this.#port = (this.app.server.address() as AddressInfo).port;
  }

  /** New connections are shown this certificate; open ones go on. The listener was made with one. */
  renewCertificate(certificate: DaemonCertificate): void {
    (this.app.server as TlsServer).setSecureContext(certificate.context);
    this.#certificate = certificate;
  }

  async close(): Promise<void> {
    await this.app.close();
  }

  /** Gives a connection one of the places, because it showed a valid token; false if there is none. */
  admit(socket: Duplex): boolean {
    return this.#connections.admit(this.#carrierOf(socket));
  }

  /** Makes a connection a stranger again, because its token is not valid. */
  dismiss(socket: Duplex): void {
    this.#connections.dismiss(this.#carrierOf(socket));
  }

  #takeConnections(): void {
    const { server } = this.app;
    const isPlain = this.#certificate === undefined;
    server.prependListener('connection', (socket: Socket) => this.#letIn(socket, isPlain));
    if (!isPlain) server.prependListener('secureConnection', (socket) => this.#noteCarrier(socket));
  }

  #letIn(socket: Socket, isPlain: boolean): void {
    const oldest = this.#connections.enter(socket);
    if (oldest !== undefined) dropStranger(oldest, isPlain);
    const ends = endsOf(socket);
    if (!isPlain) this.#shaking.set(ends, socket);
    socket.once('close', () => {
      this.#connections.leave(socket);
      if (this.#shaking.get(ends) === socket) this.#shaking.delete(ends);
    });
  }

  /** The platform does not say which connection it speaks TLS on; no two that are open have the same ends. */
  #noteCarrier(socket: Socket): void {
    const ends = endsOf(socket);
    const carrier = this.#shaking.get(ends);
    this.#shaking.delete(ends);
    if (carrier === undefined) socket.destroy();
    else this.#carriers.set(socket, carrier);
  }

  #carrierOf(socket: Duplex): Socket {
    return this.#carriers.get(socket) ?? (socket as Socket);
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
    const refusal = this.#guard(request) ?? (await take(request, socket, head));
    if (refusal !== undefined) refuseSocket(socket, refusal);
  }
}

function appOf({ certificate, headersMillisMax }: ListenerOptions): FastifyInstance {
  const headersTimeout = headersMillisMax ?? HEADERS_MILLIS_MAX;
  const connectionsCheckingInterval = Math.min(1_000, headersTimeout);
  const requestTimeout = Math.max(REQUEST_MILLIS_MAX, headersTimeout);
  const http = { headersTimeout, requestTimeout, connectionsCheckingInterval };
  const options = {
    bodyLimit: BODY_BYTES_MAX,
    forceCloseConnections: true,
    requestTimeout,
    keepAliveTimeout: IDLE_MILLIS_MAX,
    maxRequestsPerSocket: REQUESTS_MAX,
    logger: false,
  };
  if (certificate === undefined) return Fastify({ ...options, http });
  const https = { ...certificate.context, ...http, handshakeTimeout: headersTimeout };
  return Fastify({ ...options, https });
}

/** Closes a connection for another one; where no TLS is spoken it gets the reason. */
function dropStranger(socket: Socket, isPlain: boolean): void {
  if (isPlain) refuseSocket(socket, BUSY);
  else socket.destroy();
}

/** Both ends of a connection; the port at this end is always the same. */
function endsOf({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** Answers a call that showed a valid token and found no place, and ends its connection. */
export async function refuseBusy(request: IncomingMessage, reply: FastifyReply): Promise<void> {
  await readAway(request);
  await refuse(reply.header('connection', 'close'), BUSY);
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

interface PlaceLimits {
  /** Connections that showed a valid token. */
  readonly placesMax: number;
  /** Further connections, at least; unused places are theirs too. */
  readonly strangersMax: number;
}

export class ConnectionLimit<Connection extends object> {
  readonly #limits: PlaceLimits;
  /** In the order in which they came. */
  readonly #strangers = new Set<Connection>();
  readonly #placed = new Set<Connection>();

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** Lets a connection in, and returns the one that has to go for it. */
  enter(connection: Connection): Connection | undefined {
    const { placesMax, strangersMax } = this.#limits;
    const isFull = this.#strangers.size + this.#placed.size >= placesMax + strangersMax;
    const [oldest] = isFull ? this.#strangers : [];
    if (oldest !== undefined) this.#strangers.delete(oldest);
    this.#strangers.add(connection);
    return oldest;
  }

  /** Gives a place to a connection that showed a valid token; false if there is none, or the connection has gone. */
  admit(connection: Connection): boolean {
    if (this.#placed.has(connection)) return true;
    if (this.#placed.size >= this.#limits.placesMax) return false;
    if (!this.#strangers.delete(connection)) return false;
    this.#placed.add(connection);
    return true;
  }

  /** Takes the place of a connection away whose token is not valid, or not any more. */
  dismiss(connection: Connection): void {
    if (this.#placed.delete(connection)) this.#strangers.add(connection);
  }

  leave(connection: Connection): void {
    this.#strangers.delete(connection);
    this.#placed.delete(connection);
  }
}

const RETRY_SECONDS = 1;

export const BUSY: Refusal = {
  status: 503,
  code: 'busy',
  message: 'the daemon serves as many connections as it can',
  hint: 'repeat in a moment, a payment with the same request_id; keep connections open and use them again',
};

export const UNKNOWN_ROUTE: Refusal = {
  status: 404,
  code: 'unknown_route',
  message: 'there is no such route',
};

export const BAD_NONCE: Refusal = {
  status: 400,
  code: 'bad_request',
  message: 'expected a nonce of 64 hexadecimal characters',
};

export const UNAUTHORIZED: Refusal = {
  status: 401,
  code: 'unauthorized',
  message: 'expected the header Authorization: Bearer <token>',
  hint: 'the token is in the file <wallet file>.token',
};

export const TOO_MANY_GUESSES: Refusal = {
  status: 429,
  code: 'too_many_requests',
  message: 'too many calls with a wrong token wait for their answer',
  hint: 'the token of this call is wrong too; it is in the file <wallet file>.token',
};

export function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status } = refusal;
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (passes(refusal)) reply.header('retry-after', String(RETRY_SECONDS));
  return reply.code(status).header('cache-control', 'no-store').send(documentOf(refusal));
}

/** The body of a refusal. */
export function refusalText(refusal: Refusal): string {
  return JSON.stringify(documentOf(refusal));
}

/** Whether the same request may be served in a moment. */
function passes(refusal: Refusal): boolean {
  return refusal === BUSY;
}

/** The error document; how long to wait is in it as well as in the header. */
function documentOf(refusal: Refusal): object {
  const { code, hint, message } = refusal;
  const wait = passes(refusal) ? { retry_after_millis: 1_000 * RETRY_SECONDS } : {};
  return {
    api_version: 1,
    error: { code, message, ...(hint === undefined ? {} : { hint }) },
    ...wait,
  };
}

function codeOf(status: number): string {
  if (status === 413) return 'body_too_large';
  if (status === 415) return 'unsupported_media_type';
  return status < 500 ? 'bad_request' : 'internal_error';
}

/**
 * Answers in place of a WebSocket, or where nothing was asked, and closes the connection from this side: a peer that keeps
 * its own side open has no place here.
 */
function refuseSocket(socket: Duplex, refusal: Refusal): void {
  const body = refusalText(refusal);
  const head = [
    `HTTP/1.1 ${refusal.status} ${refusal.code}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(passes(refusal) ? [`retry-after: ${RETRY_SECONDS}`] : []),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
