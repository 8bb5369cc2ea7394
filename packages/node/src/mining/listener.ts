/**
 * The mining listener: HTTP for programs of this machine that mine, pool or bridge. It binds a loopback address
 * only, and still asks every request where it comes from. It can be left by its node and serve another one.
 */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import ipaddr from 'ipaddr.js';
import {
  type CandidateDocument,
  type CandidateRequest,
  type ErrorCode,
  errorEntry,
  isErrorCode,
  MINING_EVENTS_PROTOCOL,
  MINING_ROUTES,
  type MiningChainDocument,
  strict,
  type TemplateDocument,
  type TemplateRequest,
} from 'svc-api';
import { ConnectionLimit } from 'svc-base/node';
import type { Log } from 'svc-base/pure';
import { REGISTRATION_WINDOW_CUTS } from 'svc-ledger';
import {
  answerClientError,
  BODY_BYTES_MAX,
  bodyHeadersFault,
  errorDocument,
  HEADER_BYTES_MAX,
  HTTP_TIMEOUTS,
  type Refusal,
  Refused,
  readerOf,
  readJsonBody,
  refusalOf,
  refuseUpgrade,
} from 'svc-serve';
import { decodeAddress, fromHex, toHex } from 'svc-wasm/base';
import { POW_ITEM_BYTES, POW_PAGE_BYTES, POW_PERIOD_INTERVALS, POW_SIZES } from 'svc-wasm/kernel';
import { WebSocketServer } from 'ws';
import { LOCAL_SOURCE } from '../blocks/hash-budget.ts';
import { EventClients } from './event-clients.ts';
import type { MiningPorts } from './ports.ts';
import { SELECTION_MILLIS } from './selections.ts';

const PATH = '/v1/events';
/** The longest frame that a client may send; clients have nothing to say. */
const FRAME_BYTES_MAX = 1_024;

/**
 * Turns requests for `/v1/events` into WebSockets. Everything that is not that is refused as HTTP.
 */
class EventSockets {
  readonly #clients: EventClients;
  readonly #expectLocal: (request: IncomingMessage) => void;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_BYTES_MAX,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: () => MINING_EVENTS_PROTOCOL,
  });

  constructor(clients: EventClients, expectLocal: (request: IncomingMessage) => void) {
    this.#clients = clients;
    this.#expectLocal = expectLocal;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    try {
      this.#expectLocal(request);
      this.#expectEvents(request);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      refuseUpgrade(socket, refusal);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (client) => this.#clients.addSocket(client));
  }

  #expectEvents({ url, headers }: IncomingMessage): void {
    if (url !== PATH) throw new Refused('unknown_route', 'there is no socket at this path');
    const offered = (headers['sec-websocket-protocol'] ?? '').split(',');
    if (!offered.some((name) => name.trim() === MINING_EVENTS_PROTOCOL))
      throw new Refused('subprotocol_required', `expected ${MINING_EVENTS_PROTOCOL}`);
    if (this.#clients.isFull) throw new Refused('too_many_connections', 'too many clients listen');
  }
}

/** Error codes for what fastify itself refuses. */
const SERVER_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
};

/**
 * Refusals of the mining listener in the one shape of errors. They show nothing of the node's inside.
 */
function refuse(log: Log, error: unknown, reply: FastifyReply): FastifyReply {
  return send(reply, refusalFor(log, error));
}

function refuseUnknown({ method, url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const route = MINING_ROUTES.find(({ path }) => path === url);
  if (route === undefined) return send(reply, new Refused('unknown_route', 'no such route'));
  reply.header('allow', route.method);
  return send(
    reply,
    new Refused('method_not_allowed', `expected ${route.method}, found ${method}`),
  );
}

/** Refuses a path that the router cannot read. */
function refuseTarget(reply: FastifyReply): FastifyReply {
  return send(reply, new Refused('bad_target', 'expected a plain path'));
}

function refusalFor(log: Log, error: unknown): Refusal {
  const own = refusalOf(error);
  if (own !== undefined) return own;
  const { code, statusCode, message } = error as FastifyError;
  const known = SERVER_CODES[code];
  if (known !== undefined) return { code: known, message: errorEntry(known).meaning };
  if (statusCode !== undefined && statusCode < 500)
    return { code: 'bad_request', message: errorEntry('bad_request').meaning };
  log.error({ error: String(message) }, 'a request to the mining listener failed');
  return { code: 'internal_error', message: errorEntry('internal_error').meaning };
}

function send(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { retryAfterMillis } = refusal;
  if (retryAfterMillis !== undefined)
    reply.header('retry-after', String(Math.ceil(retryAfterMillis / 1_000)));
  reply.header('x-content-type-options', 'nosniff');
  return reply.code(errorEntry(refusal.code).status).send(errorDocument(refusal));
}

/**
 * `GET /v1/mining/chain`.
 */
function miningChain({ chain }: Pick<MiningPorts, 'chain'>): MiningChainDocument {
  const { network, interval } = chain.parameters;
  const { cacheBytes, datasetBytes } = POW_SIZES[network];
  return {
    api_version: 1,
    network,
    chain_id: toHex(chain.manifest.chainId),
    finalized_height: chain.head.height,
    interval_cuts: interval,
    pow: {
      cache_items: cacheBytes / POW_ITEM_BYTES,
      dataset_pages: datasetBytes / POW_PAGE_BYTES,
      period_cuts: POW_PERIOD_INTERVALS * interval,
    },
  };
}

/** The most cuts a node may be behind to give out work; later work would hardly be registered in time. */
const BEHIND_MAX = REGISTRATION_WINDOW_CUTS / 2;
const SYNC_MILLIS = 10_000;
const UPDATE_MILLIS = 60_000;

/**
 * `POST /v1/mining/templates`.
 */
function createTemplate(ports: MiningPorts, request: TemplateRequest): TemplateDocument {
  const { chain, templates } = ports;
  const payout = toHex(decodeAddress(request.payout, chain.parameters.network, 'payout'));
  if (ports.isOutdated()) {
    const message = 'the network follows rules that this release does not know: update the node';
    throw new Refused('not_synced', message, { retryAfterMillis: UPDATE_MILLIS });
  }
  const { behind_by: behindBy } = ports.sync();
  if (behindBy > BEHIND_MAX) {
    const message = `the node is ${behindBy} cuts behind the network`;
    throw new Refused('not_synced', message, { retryAfterMillis: SYNC_MILLIS });
  }
  const template = templates.make({
    payout,
    maxTransactions: request.max_transactions,
    minerTag: request.miner_tag ?? '',
  });
  if (template !== undefined) return template.document;
  throw new Refused('overloaded', 'too many addresses ask for templates', {
    retryAfterMillis: SELECTION_MILLIS,
  });
}

const RETRY_MILLIS = 1_000;
const BODY_ROOT_AT = 112;
const BODY_ROOT_BYTES = 48;

/**
 * `POST /v1/mining/candidates`.
 */
async function submitCandidate(
  { blocks, templates, log }: MiningPorts,
  request: CandidateRequest,
): Promise<CandidateDocument> {
  const header = fromHex(request.header_hex, 'header_hex');
  const body = fromHex(request.body_hex, 'body_hex');
  const admission = await blocks.submit(header, body, LOCAL_SOURCE);
  const bodyRoot = toHex(header.subarray(BODY_ROOT_AT, BODY_ROOT_AT + BODY_ROOT_BYTES));
  const isOwn = templates.isOwn(bodyRoot);
  if ('code' in admission) {
    const { code, message } = admission;
    log.info({ code, own_template: isOwn }, 'a candidate was refused');
    throw refusedFor(code, message);
  }
  const { type, id } = admission;
  log.info({ block: id, result: type, own_template: isOwn }, 'a candidate came in');
  return { api_version: 1, result: type, block_id: id };
}

function refusedFor(code: string, message: string): Refused {
  if (!isErrorCode(code)) return new Refused('bad_block', message);
  const mayRepeat = errorEntry(code).status === 503;
  return new Refused(code, message, mayRepeat ? { retryAfterMillis: RETRY_MILLIS } : {});
}

interface ListenerOptions {
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
