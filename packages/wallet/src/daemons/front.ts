/**
 * The one listener in front of several wallets, each of which has a daemon of its own on this machine. What comes to
 * `/wallets/NAME/…` goes to the daemon of that wallet, and its answer back. The front has no keys, knows no tokens and
 * reads no call: a daemon decides alone who may call it, and a connection gets a place here when the daemon has said that
 * its token is valid. What one wallet takes of places is not taken from another. Daemons are spoken to over sockets in a
 * folder of the front's own, never over a port, which belongs to somebody else once a daemon has ended.
 */
import { once } from 'node:events';
import {
  type Agent,
  request as ask,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../daemon/access.ts';
import type { DaemonCertificate } from '../daemon/certificate.ts';
import { CONNECTIONS_MAX, Listener, type ListenerOptions, refuseBusy } from '../daemon/listener.ts';
import {
  BUSY,
  refuse,
  TOO_MANY_GUESSES,
  UNAUTHORIZED,
  UNKNOWN_ROUTE,
  WALLET_STOPPED,
} from '../daemon/refusals.ts';
import { SOCKETS_MAX, TOKEN_PATH } from '../daemon/server.ts';
import { connectPatiently, PatientAgent } from './connect-patiently.ts';

/** A wallet as the front sees it. */
export interface ServedWallet {
  readonly name: string;
  /** Null while its daemon does not run. */
  readonly door: Door | null;
}

/** Where the daemon of a wallet listens for the front. */
export interface Door {
  readonly socketPath: string;
  /** What the daemon is called in requests. */
  readonly host: string;
}

/** Requests and sockets of one wallet at a time: together as many as its daemon has places for. */
const REQUESTS_MAX = CONNECTIONS_MAX - SOCKETS_MAX;
const SOCKET_ROUTE = '/v1/ws';
const RPC_ROUTE = '/v1/rpc';
/** Requests that are passed on. Those of another method would wait for a body that may never come. */
const ROUTES: readonly string[] = [`POST ${RPC_ROUTE}`, 'GET /health', 'GET /openrpc.json'];
/** What a daemon answers to a token that is not valid. */
const NO_VALID_TOKEN: ReadonlyMap<number | undefined, Refusal> = new Map(
  [UNAUTHORIZED, TOO_MANY_GUESSES].map((refusal) => [refusal.status, refusal]),
);
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

/** Headers that a connection has shown and daemons found valid. */
type Shown = Map<Place, string | undefined>;

export class Front {
  readonly #listener: Listener;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #shown = new WeakMap<Duplex, Shown>();

  static async listen(options: ListenerOptions, wallets: readonly ServedWallet[]): Promise<Front> {
    const front = new Front(options, wallets);
    await front.#listener.listen();
    return front;
  }

  private constructor(options: ListenerOptions, wallets: readonly ServedWallet[]) {
    this.#places = new Map(wallets.map((wallet) => [wallet.name, placeOf(wallet)]));
    const connectionsMax = options.connectionsMax ?? CONNECTIONS_MAX * wallets.length;
    this.#listener = new Listener({ ...options, connectionsMax }, (...given) =>
      this.#upgrade(...given),
    );
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
    if (path !== RPC_ROUTE) {
      await isNext(reply.raw);
      return await this.#relay(raw, reply, { place, path });
    }
    if (!this.#hasShown(raw, place)) await isNext(reply.raw);
    const refusal = await this.#checkToken(raw, place);
    if (refusal !== undefined) return refuse(reply, refusal);
    if (place.requests >= REQUESTS_MAX) return refuse(reply, BUSY);
    if (!this.#listener.admit(raw.socket)) {
      await refuseBusy(raw, reply);
      return reply;
    }
    place.requests++;
    reply.raw.once('close', () => place.requests--);
    return await this.#relay(raw, reply, { place, path, agent: place.agent });
  }

  /** Passes a request on, and the answer back. Without an agent it gets a connection of its own. */
  async #relay(
    raw: IncomingMessage,
    reply: FastifyReply,
    { agent, path, place }: { place: Place; path: string; agent?: Agent },
  ): Promise<FastifyReply> {
    const { method = 'GET' } = raw;
    const headers = chosen(raw, ASKED);
    const answer = await askDaemon(place.wallet, { agent, method, path, headers }, (asked) => {
      reply.raw.once('close', () => asked.destroy());
      raw.pipe(asked);
    });
    // The daemon has ended on the way, so that what became of the call is asked with the same request_id; or the token was revoked.
    const isRefused = answer === undefined || NO_VALID_TOKEN.has(answer.statusCode);
    if (isRefused && path === RPC_ROUTE) this.#dismiss(raw.socket);
    if (answer === undefined) return refuse(reply, WALLET_STOPPED);
    reply.code(answer.statusCode ?? WALLET_STOPPED.status).headers(chosen(answer, ANSWERED));
    return reply.send(answer);
  }

  /**
   * Has the daemon say whether a connection shows a valid token, before anything else of its request is waited for. What
   * it has shown before is not asked again.
   */
  async #checkToken(request: IncomingMessage, place: Place): Promise<Refusal | undefined> {
    if (this.#hasShown(request, place)) return undefined;
    const { headers, socket } = request;
    const { authorization } = headers;
    const given: Record<string, string> = authorization === undefined ? {} : { authorization };
    const asked = { method: 'GET', path: TOKEN_PATH, headers: given };
    const answer = await askDaemon(place.wallet, asked, (sent) => {
      const end = (): unknown => sent.destroy();
      socket.once('close', end);
      sent.once('close', () => socket.off('close', end)).end();
    });
    answer?.resume();
    if (answer?.statusCode === 204) {
      const shown: Shown = this.#shown.get(socket) ?? new Map();
      this.#shown.set(socket, shown.set(place, authorization));
      return undefined;
    }
    this.#dismiss(socket);
    return NO_VALID_TOKEN.get(answer?.statusCode) ?? WALLET_STOPPED;
  }

  #hasShown({ headers, socket }: IncomingMessage, place: Place): boolean {
    const shown = this.#shown.get(socket);
    return shown?.has(place) === true && shown.get(place) === headers.authorization;
  }

  /** A connection that shows no valid token is a stranger. */
  #dismiss(socket: Duplex): void {
    this.#shown.delete(socket);
    this.#listener.dismiss(socket);
  }

  /** Joins the two connections; from then on the daemon and its caller speak with each other. */
  async #upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<Refusal | undefined> {
    const found = this.#find(request.url);
    if (found === undefined || found.path !== SOCKET_ROUTE) return UNKNOWN_ROUTE;
    const refusal = await this.#checkToken(request, found.place);
    if (refusal !== undefined) return refusal;
    const { sockets, wallet } = found.place;
    const { door } = wallet;
    if (door === null) return WALLET_STOPPED;
    if (sockets.size >= SOCKETS_MAX || !this.#listener.admit(socket)) return BUSY;
    const lines = Object.entries(chosen(request, UPGRADED)).map((line) => line.join(': '));
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    let daemon: Socket;
    try {
      daemon = await connectPatiently(door.socketPath);
    } catch {
      return WALLET_STOPPED;
    }
    daemon.on('error', () => socket.destroy());
    if (socket.destroyed) daemon.destroy();
    socket.once('close', () => daemon.destroy());
    daemon.write(
      `GET ${SOCKET_ROUTE} HTTP/1.1\r\nhost: ${door.host}\r\n${lines.join('\r\n')}\r\n\r\n`,
    );
    daemon.write(head);
    // A caller that keeps its own side open has no place here.
    const end = (): unknown => socket.end(() => socket.destroy());
    daemon.once('close', end);
    daemon.pipe(socket, { end: false });
    socket.pipe(daemon);
    return undefined;
  }
}

/**
 * Waits until nothing comes before an answer on its connection. What has no place waits so before it has a daemon asked:
 * however many requests a connection sends at once, it has one of these at a time. Nobody waits on a connection that closes.
 */
async function isNext(response: ServerResponse): Promise<void> {
  if (response.socket === null) await once(response, 'socket');
}

function placeOf(wallet: ServedWallet): Place {
  const agent = new PatientAgent({ keepAlive: true, maxSockets: REQUESTS_MAX });
  return { wallet, agent, sockets: new Set(), requests: 0 };
}

interface Asked {
  /** Without one the request gets a connection of its own. */
  readonly agent?: Agent | undefined;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Resolves with the answer of the daemon, undefined if it gives none. The body is sent by `send`. */
function askDaemon(
  { door }: ServedWallet,
  { agent = new PatientAgent(), headers, ...rest }: Asked,
  send: (asked: ClientRequest) => void,
): Promise<IncomingMessage | undefined> {
  if (door === null) return Promise.resolve(undefined);
  const { host, socketPath } = door;
  return new Promise((resolve) => {
    const asked = ask({ ...rest, agent, socketPath, headers: { ...headers, host } }, resolve);
    asked.on('error', () => resolve(undefined));
    send(asked);
  });
}

function chosen({ headers }: IncomingMessage, names: readonly string[]): Record<string, string> {
  const entries = names.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}
