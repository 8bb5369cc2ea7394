/**
 * What is behind the three sockets: who is served by what, from which sources.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { SOCKET_ENDPOINTS, type SocketEndpoint, type SocketLimits } from 'svc-api';
import { Addresses } from '../documents/addresses.ts';
import type { SocketPorts } from '../ports.ts';
import { Refused } from '../refusal.ts';
import type { Connection, ConnectionHandler } from './connection.ts';
import { CutFeed } from './events.ts';
import { Fanout } from './fanout.ts';
import { ApiSession, Reads } from './session.ts';
import { StatusStream, StatusWatch } from './status.ts';
import { Topics } from './topics.ts';

export type UpgradeTarget =
  | { readonly endpoint: 'events'; readonly afterHeight: number | undefined }
  | { readonly endpoint: 'api' }
  | { readonly endpoint: 'status'; readonly transactionId: string };

const STATUS_PATH = /^\/v1\/transactions\/([0-9a-f]{96})\/status\/stream$/;
const HEIGHT = /^(?:0|[1-9][0-9]{0,15})$/;

/**
 * Which socket a request asks for. The target is taken as it was sent: nothing is decoded or repaired.
 */
export function readTarget(url: string): UpgradeTarget {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? [] : url.slice(mark + 1).split('&');
  if (path === SOCKET_ENDPOINTS.events.path) {
    return { endpoint: 'events', afterHeight: readAfterHeight(query) };
  }
  const target = readPlainTarget(path);
  for (const parameter of query) throw unknownParameter(parameter);
  return target;
}

function readPlainTarget(path: string): UpgradeTarget {
  if (path === SOCKET_ENDPOINTS.api.path) return { endpoint: 'api' };
  const transactionId = STATUS_PATH.exec(path)?.[1];
  if (transactionId !== undefined) return { endpoint: 'status', transactionId };
  throw new Refused('unknown_route', 'there is no socket at this path');
}

function readAfterHeight(query: readonly string[]): number | undefined {
  let height: number | undefined;
  for (const parameter of query) {
    const [name, value] = parameter.split('=', 2) as [string, string | undefined];
    if (name !== 'after_height') throw unknownParameter(parameter);
    if (height !== undefined) {
      throw new Refused('duplicate_parameter', 'after_height occurs twice', { path: name });
    }
    height = HEIGHT.test(value ?? '') ? Number(value) : Number.NaN;
    if (!Number.isSafeInteger(height) || parameter !== `${name}=${value}`) {
      throw new Refused('bad_integer', 'expected a height in decimal digits', { path: name });
    }
  }
  return height;
}

function unknownParameter(parameter: string): Refused {
  const path = parameter.split('=', 1)[0]?.slice(0, 64) ?? '';
  return new Refused('unknown_field', 'the socket has no such query parameter', { path });
}

const VERSION = '13';

/** Refuses a connection of another version, or one that does not name the subprotocol of the endpoint. */
export function expectHandshake(endpoint: SocketEndpoint, headers: IncomingHttpHeaders): void {
  if (headers['sec-websocket-version'] !== VERSION) {
    throw new Refused('bad_upgrade', `expected a WebSocket of version ${VERSION}`);
  }
  const { subprotocol } = SOCKET_ENDPOINTS[endpoint];
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  if (offered.includes(subprotocol)) return;
  throw new Refused('subprotocol_required', `expected the subprotocol ${subprotocol}`);
}

interface EndpointOptions {
  readonly limits: SocketLimits;
  /** Whether the topic `mempool_transactions` is offered. */
  readonly mempoolTransactions: boolean;
  /** While this returns true, events are withheld as if no client read. */
  readonly isWithholding: () => boolean;
}

export class Endpoints {
  readonly #ports: SocketPorts;
  readonly #options: EndpointOptions;
  readonly #addresses: Addresses;
  readonly #fanout = new Fanout();
  readonly #sessions = new Set<ApiSession>();
  readonly #stop: () => void;
  readonly #watch: StatusWatch;
  readonly #topics: Topics;
  readonly #feed: CutFeed;
  #height: number;

  constructor(ports: SocketPorts, options: EndpointOptions) {
    const { services } = ports;
    this.#addresses = new Addresses(services.chain.genesis.network);
    const common = { addresses: this.#addresses, fanout: this.#fanout };
    this.#ports = ports;
    this.#options = options;
    this.#height = services.chain.head.height;
    // This listener comes before those of the topics, so that clients learn of a gap before they see later events.
    this.#stop = services.chain.finalized.on(({ height }) => this.#reached(height));
    this.#watch = new StatusWatch(services);
    this.#topics = new Topics({ ...common, ...options, sockets: ports, watch: this.#watch });
    this.#feed = new CutFeed({ ...common, ...options, services, clock: ports.clock });
  }

  serve(connection: Connection, target: UpgradeTarget): ConnectionHandler {
    switch (target.endpoint) {
      case 'events':
        return this.#feed.open(connection, target.afterHeight);
      case 'status':
        return new StatusStream(connection, this.#watch, target.transactionId);
      case 'api':
        return this.#openSession(connection);
    }
  }

  /** Tells clients what they missed while events were withheld. */
  endWithholding(): void {
    for (const session of this.#sessions) session.room();
    this.#feed.advance();
  }

  stop(): void {
    this.#stop();
    this.#topics.stop();
    this.#watch.stop();
    this.#feed.stop();
    this.#fanout.stop();
  }

  #openSession(connection: Connection): ApiSession {
    const { limits, isWithholding } = this.#options;
    const { clock, read, services } = this.#ports;
    const { log } = services;
    const session = new ApiSession({
      connection,
      limits,
      isWithholding,
      addresses: this.#addresses,
      topics: this.#topics,
      reads: new Reads({ read, limits, clock, log }),
      onClosed: () => void this.#sessions.delete(session),
    });
    this.#sessions.add(session);
    return session;
  }

  #reached(height: number): void {
    if (height !== this.#height + 1) {
      for (const session of this.#sessions) session.resync('stream_restarted');
    }
    this.#height = height;
  }
}
