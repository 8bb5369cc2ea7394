/**
 * The mining listener: HTTP for programs of this machine that mine, pool or bridge. It binds a loopback address
 * only, and still asks every request where it comes from. It can be left by its node and serve another one.
 */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import ipaddr from 'ipaddr.js';
import { type CandidateRequest, MINING_ROUTES, strict, type TemplateRequest } from 'svc-api';
import { ConnectionLimit } from 'svc-base/node';
import type { Log } from 'svc-base/pure';
import {
  answerClientError,
  BODY_BYTES_MAX,
  bodyHeadersFault,
  HEADER_BYTES_MAX,
  HTTP_TIMEOUTS,
  Refused,
  readerOf,
  readJsonBody,
} from 'svc-serve';
import { EventClients } from './event-clients.ts';
import { EventSockets } from './event-sockets.ts';
import type { MiningPorts } from './ports.ts';
import { refuse, refuseTarget, refuseUnknown } from './refuse.ts';
import { createTemplate } from './routes/create-template.ts';
import { miningChain } from './routes/mining-chain.ts';
import { submitCandidate } from './routes/submit-candidate.ts';

export interface ListenerOptions {
  /** A loopback address. */
  readonly host?: string;
  readonly port?: number;
}

export const MINING_HOST = '127.0.0.1';
export const MINING_PORT = 28_702;
const CONNECTIONS_MAX = 256;
const NO_QUERY = { schema: { querystring: strict({}) } };

/** What one node is served with. */
interface Served {
  readonly ports: MiningPorts;
  readonly clients: EventClients;
  readonly sockets: EventSockets;
}

export class MiningListener {
  readonly #app: FastifyInstance;
  readonly #log: Log;
  #served: Served | undefined;
  #port = 0;

  static async start(ports: MiningPorts, options: ListenerOptions = {}): Promise<MiningListener> {
    const { host = MINING_HOST, port = MINING_PORT } = options;
    if (!isLoopback(host))
      throw new Error(`the mining listener binds loopback addresses only, not ${host}`);
    const listener = new MiningListener(ports.log);
    listener.serve(ports);
    await listener.#app.listen({ host, port });
    listener.#port = (listener.#app.server.address() as AddressInfo).port;
    ports.log.info({ host, port: listener.#port }, 'the mining listener is open');
    return listener;
  }

  private constructor(log: Log) {
    this.#log = log;
    this.#app = createApp();
    const shares = { places: CONNECTIONS_MAX, placesPerClient: CONNECTIONS_MAX };
    new ConnectionLimit(shares).watch(this.#app.server);
    this.#addGuards();
    this.#addRoutes();
    this.#app.server.on('upgrade', (request, socket, head) => {
      if (this.#served === undefined) socket.destroy();
      else this.#served.sockets.upgrade(request, socket, head);
    });
  }

  get port(): number {
    return this.#port;
  }

  /** How many clients listen to events. */
  get listening(): number {
    return this.#served?.clients.count ?? 0;
  }

  /** The server, for requests injected without a connection. */
  get app(): FastifyInstance {
    return this.#app;
  }

  /** Answers from a node; the one before must have been left. */
  serve(ports: MiningPorts): void {
    const clients = new EventClients(ports.chain, ports.clock);
    const sockets = new EventSockets(clients, (request) => expectLocal(request, this.#port));
    this.#served = { ports, clients, sockets };
  }

  /** Lets the node go, so that it can be closed; requests are refused until another one is served. */
  leave(): void {
    this.#served?.clients.close();
    this.#served = undefined;
  }

  async close(): Promise<void> {
    this.leave();
    await this.#app.close();
  }

  get #now(): Served {
    if (this.#served === undefined) throw new Refused('unavailable', 'the node is stopping');
    return this.#served;
  }

  #addGuards(): void {
    const app = this.#app;
    app.addHook('onRequest', async ({ raw }) => {
      expectLocal(raw, this.#port);
      const fault = raw.method === 'POST' ? bodyHeadersFault(raw) : undefined;
      if (fault !== undefined) throw new Refused(fault.code, fault.message);
    });
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_: unknown, body: Buffer) => readJsonBody(body),
    );
    app.setValidatorCompiler(readerOf);
    app.setErrorHandler((error, _, reply) => refuse(this.#log, error, reply));
    app.setNotFoundHandler((request, reply) => refuseUnknown(request, reply));
  }

  #addRoutes(): void {
    const app = this.#app;
    const [templates, candidates, events, sync, rates, chain] = MINING_ROUTES;
    app.post<{ Body: TemplateRequest }>(
      templates.path,
      { schema: { body: templates.body } },
      async ({ body }) => createTemplate(this.#now.ports, body),
    );
    app.post<{ Body: CandidateRequest }>(
      candidates.path,
      { schema: { body: candidates.body } },
      async ({ body }) => submitCandidate(this.#now.ports, body),
    );
    app.get(sync.path, NO_QUERY, async () => this.#now.ports.sync());
    app.get(rates.path, NO_QUERY, async () => this.#now.ports.rates.document());
    app.get(chain.path, NO_QUERY, async () => miningChain(this.#now.ports));
    app.get(events.path, NO_QUERY, async (_, reply) => this.#stream(reply));
  }

  #stream(reply: FastifyReply): void {
    const { clients } = this.#now;
    if (clients.isFull) throw new Refused('too_many_connections', 'too many clients listen');
    reply.hijack();
    reply.raw.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    reply.raw.flushHeaders();
    clients.addResponse(reply.raw);
  }
}

function createApp(): FastifyInstance {
  return fastify({
    requestTimeout: HTTP_TIMEOUTS.request,
    keepAliveTimeout: HTTP_TIMEOUTS.keepAlive,
    bodyLimit: BODY_BYTES_MAX,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HTTP_TIMEOUTS.headers,
      connectionsCheckingInterval: HTTP_TIMEOUTS.checkingInterval,
      // Clients that offer HTTP/2 on every request mean an ordinary answer.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error, _request, reply) => void refuseTarget(reply),
  });
}

const OWN_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

function isLoopback(address: string | undefined): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  return ipaddr.process(address).range() === 'loopback';
}

/**
 * Throws a refusal unless a program of this machine asks: the connection comes from a loopback address, the Host
 * header names this listener (a page that rebinds its own name sends that), and no browser page asks.
 */
function expectLocal({ socket, headers }: IncomingMessage, port: number): void {
  if (!isLoopback(socket.remoteAddress))
    throw new Refused('not_local', 'the mining listener serves programs of its own machine alone');
  const host = (headers.host ?? '').toLowerCase();
  if (!OWN_NAMES.some((name) => host === `${name}:${port}`))
    throw new Refused('host_not_allowed', `expected the Host ${OWN_NAMES[0]}:${port}`);
  const site = headers['sec-fetch-site'];
  if (headers.origin !== undefined || (site !== undefined && site !== 'none'))
    throw new Refused('origin_not_allowed', 'the mining listener serves no web pages');
}
