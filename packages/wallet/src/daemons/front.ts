/**
 * The one listener in front of several wallets, each of which has a daemon of its own on this machine. What comes to
 * `/wallets/NAME/…` goes to the daemon of that wallet, and its answer back. The front has no keys, knows no tokens and
 * reads no call: a daemon decides alone who may call it, and a connection keeps its place here unless the daemon says that
 * its token is wrong. What one wallet takes of places is not taken from another.
 */
import { Agent, request as ask, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../daemon/access.ts';
import type { DaemonCertificate } from '../daemon/certificate.ts';
import { CONNECTIONS_MAX, Listener, type ListenerOptions, refuseBusy } from '../daemon/listener.ts';
import { BUSY, refuse, UNKNOWN_ROUTE, WALLET_STOPPED } from '../daemon/refusals.ts';
import { SOCKETS_MAX } from '../daemon/server.ts';

/** A wallet as the front sees it. */
export interface ServedWallet {
  readonly name: string;
  /** Where its daemon listens; null while it does not run. */
  readonly url: string | null;
}

/** Requests and sockets of one wallet at a time: together as many as its daemon has places for. */
const REQUESTS_MAX = CONNECTIONS_MAX - SOCKETS_MAX;
/** A daemon answers wrong tokens late, and at most 64 at a time: these keep no socket with a right one out. */
const JOINED_MAX = SOCKETS_MAX + 64;
const SOCKET_ROUTE = '/v1/ws';
const RPC_ROUTE = '/v1/rpc';
/** Requests that are passed on. Those of another method would wait for a body that may never come. */
const ROUTES: readonly string[] = [`POST ${RPC_ROUTE}`, 'GET /health', 'GET /openrpc.json'];
const NO_VALID_TOKEN: readonly (number | undefined)[] = [401, 429];
const PATH = /^\/wallets\/([^/]+)(\/[^?]*)/;

/** What is passed on of a request and of an answer; anything else concerns one of the two connections alone. */
const ASKED: readonly string[] = ['authorization', 'content-type', 'content-length'];
const UPGRADED: readonly string[] = [
  'authorization',
  'connection',
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
];
const ANSWERED: readonly string[] = [
  'content-type',
  'content-length',
  'cache-control',
  'retry-after',
  'www-authenticate',
];

interface Place {
  readonly wallet: ServedWallet;
  readonly agent: Agent;
  readonly sockets: Set<Duplex>;
  requests: number;
}

export class Front {
  readonly #listener: Listener;
  readonly #places: ReadonlyMap<string, Place>;

  static async listen(options: ListenerOptions, wallets: readonly ServedWallet[]): Promise<Front> {
    const front = new Front(options, wallets);
    await front.#listener.listen();
    return front;
  }

  private constructor(options: ListenerOptions, wallets: readonly ServedWallet[]) {
    this.#places = new Map(wallets.map((wallet) => [wallet.name, placeOf(wallet)]));
    const connectionsMax = options.connectionsMax ?? CONNECTIONS_MAX * wallets.length;
    const take = async (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(request, socket, head);
    this.#listener = new Listener({ ...options, connectionsMax }, take);
    const { app } = this.#listener;
    // The body stays where it is until a daemon reads it, and the daemon says which bodies it takes.
    app.addContentTypeParser('*', (_, __, done) => done(null));
    app.all('/wallets/*', (request, reply) => this.#answer(request, reply));
  }

  get url(): string {
    return this.#listener.url;
  }

  /** New connections are shown this certificate; open ones go on. */
  renewCertificate(certificate: DaemonCertificate): void {
    this.#listener.renewCertificate(certificate);
  }

  async close(): Promise<void> {
    for (const { agent, sockets } of this.#places.values()) {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
    }
    await this.#listener.close();
  }

  #find(url: string | undefined): { place: Place; path: string } | undefined {
    const [, name = '', path = ''] = PATH.exec(url ?? '') ?? [];
    const place = this.#places.get(name);
    return place === undefined ? undefined : { place, path };
  }

  async #answer({ raw }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const found = this.#find(raw.url);
    if (found === undefined || !ROUTES.includes(`${raw.method} ${found.path}`))
      return refuse(reply, UNKNOWN_ROUTE);
    const { path, place } = found;
    if (place.requests >= REQUESTS_MAX) return refuse(reply, BUSY);
    const { url } = place.wallet;
    if (url === null) return refuse(reply, WALLET_STOPPED);
    if (path === RPC_ROUTE && !this.#listener.admit(raw.socket)) {
      await refuseBusy(raw, reply);
      return reply;
    }
    place.requests++;
    reply.raw.once('close', () => place.requests--);
    const answer = await passOn(raw, reply, { url: `${url}${path}`, agent: place.agent });
    // The daemon has ended on the way; what became of the call is asked with the same request_id.
    // Whether the token is valid only the daemon can say.
    if (answer === undefined || NO_VALID_TOKEN.includes(answer.statusCode))
      this.#listener.dismiss(raw.socket);
    if (answer === undefined) return refuse(reply, WALLET_STOPPED);
    reply.code(answer.statusCode ?? WALLET_STOPPED.status).headers(chosen(answer, ANSWERED));
    return reply.send(answer);
  }

  /** Joins the two connections; from then on the daemon and its caller speak with each other. */
  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Refusal | undefined {
    const found = this.#find(request.url);
    if (found === undefined || found.path !== SOCKET_ROUTE) return UNKNOWN_ROUTE;
    const { sockets, wallet } = found.place;
    if (sockets.size >= JOINED_MAX) return BUSY;
    if (wallet.url === null) return WALLET_STOPPED;
    if (!this.#listener.admit(socket)) return BUSY;
    const { host, hostname, port } = new URL(wallet.url);
    const lines = Object.entries(chosen(request, UPGRADED)).map((line) => line.join(': '));
    const daemon = connect(Number(port), hostname);
    daemon.write(`GET ${SOCKET_ROUTE} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('\r\n')}\r\n\r\n`);
    daemon.write(head);
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      daemon.destroy();
    });
    // A caller that keeps its own side open has no place here.
    const end = (): unknown => socket.end(() => socket.destroy());
    daemon.on('error', () => socket.destroy()).once('close', end);
    daemon.pipe(socket, { end: false });
    socket.pipe(daemon);
    return undefined;
  }
}

function placeOf(wallet: ServedWallet): Place {
  const agent = new Agent({ keepAlive: true, maxSockets: REQUESTS_MAX });
  return { wallet, agent, sockets: new Set(), requests: 0 };
}

/** Resolves with the answer of the daemon, undefined if it gives none. */
function passOn(
  request: IncomingMessage,
  reply: FastifyReply,
  { agent, url }: { agent: Agent; url: string },
): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    const { method = 'GET' } = request;
    const asked = ask(url, { agent, method, headers: chosen(request, ASKED) }, resolve);
    asked.on('error', () => resolve(undefined));
    reply.raw.once('close', () => asked.destroy());
    request.pipe(asked);
  });
}

function chosen({ headers }: IncomingMessage, names: readonly string[]): Record<string, string> {
  const entries = names.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}
