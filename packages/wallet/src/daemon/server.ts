/**
 * The listener of one wallet: JSON-RPC over `POST /v1/rpc` and the WebSocket `/v1/ws`, `/health` and `/openrpc.json`. It
 * is open before the wallet has read the chain, and answers while the wallet reads.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { openRpcDocument } from 'svc-api/rpc';
import type { Clock } from 'svc-base/pure';
import { type WebSocket, WebSocketServer } from 'ws';
import { isNonce, proveDigest } from '../file/token.ts';
import { VERSION } from '../version.ts';
import type { Wallet } from '../wallet.ts';
import { AccessControl, type Grants, type Refusal } from './access.ts';
import type { DaemonCertificate } from './certificate.ts';
import { type DispatchPorts, dispatch } from './dispatch.ts';
import {
  BAD_NONCE,
  BODY_BYTES_MAX,
  BUSY,
  Listener,
  type ListenerOptions,
  refuse,
  refuseBusy,
  TOO_MANY_GUESSES,
  UNAUTHORIZED,
  UNKNOWN_ROUTE,
} from './listener.ts';
import { RpcSocket } from './rpc-socket.ts';
import { CallMeter } from './wallet-metrics.ts';

export interface ServerOptions extends ListenerOptions {
  readonly wallet: Wallet;
  readonly grants: Grants;
  readonly clock: Clock;
  /** Called when an answer has been handed to the system. */
  readonly onReplied?: () => void;
  /** From one ping of a socket to the next, by which the answer to the first has to be there; tests wait longer. */
  readonly pingMillis?: number;
}

export const SOCKETS_MAX = 64;
const PING_MILLIS = 30_000;

export class DaemonServer {
  readonly #listener: Listener;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: BODY_BYTES_MAX,
    perMessageDeflate: false,
  });
  readonly #options: ServerOptions;
  readonly meter = new CallMeter();
  readonly access: AccessControl;
  readonly #pings: NodeJS.Timeout;
  readonly #callers = new WeakMap<WebSocket, RpcSocket>();
  /** Sockets that have not answered the last ping. */
  readonly #waiting = new WeakSet<WebSocket>();

  static async listen(options: ServerOptions): Promise<DaemonServer> {
    const server = new DaemonServer(options);
    await server.#listener.listen();
    return server;
  }

  private constructor(options: ServerOptions) {
    this.#options = options;
    this.access = new AccessControl(options.grants, options.clock);
    this.#listener = new Listener(options, (...given) => this.#upgrade(...given));
    this.#addRoutes();
    this.#pings = setInterval(() => this.#ping(), options.pingMillis ?? PING_MILLIS).unref();
  }

  get url(): string {
    return this.#listener.url;
  }

  /** New connections are shown this certificate; open ones go on. The daemon was opened with one. */
  renewCertificate(certificate: DaemonCertificate): void {
    this.#listener.renewCertificate(certificate);
  }

  async close(): Promise<void> {
    clearInterval(this.#pings);
    for (const socket of this.#sockets.clients) socket.close(1001, 'the daemon ends');
    this.#sockets.close();
    await this.#listener.close();
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  #addRoutes(): void {
    const { app } = this.#listener;
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) =>
      done(null, body),
    );
    app.get('/openrpc.json', () => openRpcDocument(VERSION));
    app.get<{ Params: { nonce: string } }>('/v1/proof/:nonce', (request, reply) => {
      const { nonce } = request.params;
      if (!isNonce(nonce)) return refuse(reply, BAD_NONCE);
      const { host } = new URL(this.url);
      const grants = this.#options.grants();
      const proofs = grants.map(({ digest }) => proveDigest(digest.toString('hex'), nonce, host));
      return { api_version: 1, proofs };
    });
    app.post('/v1/rpc', {
      onRequest: async (request, reply) => {
        const { headers, socket } = request.raw;
        const grant = await this.#check(headers.authorization, socket);
        if (grant === undefined) return await refuse(reply, UNAUTHORIZED);
        if (grant === 'busy') return await refuse(reply, TOO_MANY_GUESSES);
        if (!this.#listener.admit(socket)) return await refuseBusy(request.raw, reply);
        request.grant = grant;
      },
      handler: async (request, reply) => {
        const answer = await this.#answer(request.body as string, request.grant ?? NOTHING);
        reply.header('cache-control', 'no-store');
        const { onReplied } = this.#options;
        if (onReplied !== undefined) reply.raw.once('finish', onReplied);
        return answer === undefined ? reply.code(204).send() : answer;
      },
    });
  }

  /** As `check` of the tokens; a connection whose token is wrong has no place any more. */
  #check(authorization: string | undefined, socket: Duplex): ReturnType<AccessControl['check']> {
    if (this.access.find(authorization) === undefined) this.#listener.dismiss(socket);
    return this.access.check(authorization);
  }

  #answer(text: string, grant: DispatchPorts['grant']): ReturnType<typeof dispatch> {
    const { wallet } = this.#options;
    return dispatch(text, { grant, wallet, connection: null, meter: this.meter });
  }

  async #upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<Refusal | undefined> {
    const [path] = (request.url ?? '').split('?');
    if (path !== '/v1/ws') return UNKNOWN_ROUTE;
    if (this.#sockets.clients.size >= SOCKETS_MAX) return BUSY;
    const grant = await this.#check(request.headers.authorization, socket);
    if (grant === 'busy') return TOO_MANY_GUESSES;
    if (grant === undefined || socket.destroyed) return UNAUTHORIZED;
    if (!this.#listener.admit(socket)) return BUSY;
    this.#sockets.handleUpgrade(request, socket, head, (accepted) => {
      accepted.on('pong', () => this.#waiting.delete(accepted));
      const access = { grant, meter: this.meter };
      this.#callers.set(accepted, new RpcSocket(accepted, this.#options.wallet, access));
    });
    return undefined;
  }

  /** Ends connections whose peer is gone without a word (no pong came since the last ping) or whose token was revoked. */
  #ping(): void {
    for (const socket of this.#sockets.clients) {
      if (this.#waiting.has(socket)) socket.terminate();
      this.#callers.get(socket)?.expectValid();
      this.#waiting.add(socket);
      socket.ping();
    }
  }
}

/** What a call without a checked token may do; no call gets that far. */
const NOTHING = { name: '', limits: null, scopes: [], isValid: () => false } as const;

declare module 'fastify' {
  interface FastifyRequest {
    grant?: import('./access.ts').Grant;
  }
}
