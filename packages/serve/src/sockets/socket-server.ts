/**
 * The WebSocket endpoints of a node. An HTTP server hands over the requests that want to upgrade; this
 * decides whether they may, and serves them from then on.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { SOCKET_ENDPOINTS, SOCKET_LIMITS, type SocketLimits, type SocketProfile } from 'svc-api';
import type { Clock } from 'svc-base/pure';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import type { SocketPorts } from '../ports.ts';
import { Refused, refusalOf, refuseUpgrade } from '../refusal.ts';
import { CLOSE_CODES, Connection } from './connection.ts';
import { Endpoints, expectHandshake, readTarget, type UpgradeTarget } from './endpoints.ts';

interface ConnectionCaps {
  readonly total: number;
  readonly perClient: number;
}

/** Fewer in all than the connections of the HTTP server, so that sockets never keep requests out. */
const CONNECTION_CAPS: Readonly<Record<SocketProfile, ConnectionCaps>> = {
  node: { total: 768, perClient: 32 },
  public: { total: 7_168, perClient: 32 },
};

/**
 * Counts open sockets, in all and by client address.
 */
class ConnectionCounter {
  readonly #caps: ConnectionCaps;
  readonly #byClient = new Map<string, number>();
  #total = 0;

  constructor(caps: ConnectionCaps) {
    this.#caps = caps;
  }

  get total(): number {
    return this.#total;
  }

  hasRoomFor(client: string): boolean {
    return this.#total < this.#caps.total && this.#of(client) < this.#caps.perClient;
  }

  add(client: string): void {
    this.#total++;
    this.#byClient.set(client, this.#of(client) + 1);
  }

  remove(client: string): void {
    this.#total--;
    const left = this.#of(client) - 1;
    if (left > 0) this.#byClient.set(client, left);
    else this.#byClient.delete(client);
  }

  #of(client: string): number {
    return this.#byClient.get(client) ?? 0;
  }
}

const HEARTBEAT_MILLIS = 30_000;
const GROUPS = 30;

/**
 * Pings every connection once in a period, spread over it, and so finds those whose client is gone.
 */
class Heartbeat {
  readonly #clock: Clock;
  readonly #pauseMillis: number;
  readonly #groups: readonly Set<Connection>[] = Array.from({ length: GROUPS }, () => new Set());
  #turn = 0;
  #stop: (() => void) | undefined;

  constructor(clock: Clock, periodMillis: number) {
    this.#clock = clock;
    this.#pauseMillis = periodMillis / GROUPS;
  }

  /** Pings the connection from one period later on. Returns a function that stops the pings. */
  add(connection: Connection): () => void {
    const group = this.#groups[(this.#turn + GROUPS - 1) % GROUPS] as Set<Connection>;
    group.add(connection);
    return () => void group.delete(connection);
  }

  start(): void {
    this.#stop = this.#clock.after(this.#pauseMillis, () => {
      for (const connection of this.#groups[this.#turn] ?? []) connection.beat();
      this.#turn = (this.#turn + 1) % GROUPS;
      this.start();
    });
  }

  stop(): void {
    this.#stop?.();
  }
}

/** Options that the types of `ws` do not list yet. */
interface WsReceiverLimits {
  readonly maxFragments: number;
  readonly maxBufferedChunks: number;
  readonly closeTimeout: number;
}

const FRAGMENTS_MAX = 64;
const CHUNKS_MAX = 1_024;
const CLOSE_MILLIS = 2_000;
const RETRY_MILLIS = 10_000;

export interface SocketOptions {
  readonly profile: SocketProfile;
  /** Whether the topic `mempool_transactions` is offered. */
  readonly mempoolTransactions: boolean;
  readonly caps?: ConnectionCaps;
  readonly heartbeatMillis?: number;
  /** Takes admitted requests of further sockets; false leaves a request to the endpoints of this server. */
  readonly extension?: {
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  };
}

/** Faults that a development network brings about. */
interface SocketFaults {
  /** While on, every client loses events as if it read too slowly. */
  lagEvents(on: boolean): void;
  closeAll(): void;
}

export class SocketServer implements SocketFaults {
  readonly #ports: SocketPorts;
  readonly #limits: SocketLimits;
  readonly #extension: SocketOptions['extension'];
  readonly #webSockets: WebSocketServer;
  readonly #counter: ConnectionCounter;
  readonly #heartbeat: Heartbeat;
  readonly #endpoints: Endpoints;
  readonly #connections = new Set<Connection>();
  #lagging = false;
  #closed: Promise<void> | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(ports: SocketPorts, options: SocketOptions) {
    this.#ports = ports;
    this.#limits = SOCKET_LIMITS[options.profile];
    this.#extension = options.extension;
    this.#webSockets = makeWebSockets(this.#limits);
    this.#counter = new ConnectionCounter(options.caps ?? CONNECTION_CAPS[options.profile]);
    this.#endpoints = new Endpoints(ports, {
      limits: this.#limits,
      mempoolTransactions: options.mempoolTransactions,
      isWithholding: () => this.#lagging,
    });
    const periodMillis = options.heartbeatMillis ?? HEARTBEAT_MILLIS;
    this.#heartbeat = new Heartbeat(ports.clock, periodMillis);
    this.#heartbeat.start();
  }

  /** How many sockets are open. */
  get size(): number {
    return this.#connections.size;
  }

  /** For the `upgrade` event of an HTTP server. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const verdict = this.#ports.guard.admit(request);
    if (!verdict.admitted) {
      refuseUpgrade(socket, verdict.refusal);
      return;
    }
    if (this.#extension?.upgrade(request, socket, head) === true) return;
    try {
      const target = readTarget(request.url ?? '');
      expectHandshake(target.endpoint, request.headers);
      this.#expectRoom(verdict.client);
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) =>
        this.#open(webSocket, socket, verdict.client, target),
      );
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      refuseUpgrade(socket, refusal);
    }
  }

  lagEvents(on: boolean): void {
    this.#lagging = on;
    if (!on) this.#endpoints.endWithholding();
  }

  closeAll(): void {
    for (const connection of [...this.#connections]) {
      connection.close(CLOSE_CODES.goingAway, 'the node ends the connection');
    }
  }

  /** Resolves when every socket is gone; one that does not answer is cut off. */
  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#heartbeat.stop();
      this.#endpoints.stop();
      this.#onEmpty = resolve;
      this.closeAll();
      if (this.#connections.size === 0) resolve();
    });
    return this.#closed;
  }

  #expectRoom(client: string): void {
    if (this.#closed !== undefined) throw new Refused('unavailable', 'the node is stopping');
    if (this.#counter.hasRoomFor(client)) return;
    throw new Refused('too_many_connections', 'no further socket can be opened', {
      retryAfterMillis: RETRY_MILLIS,
    });
  }

  #open(webSocket: WebSocket, socket: Duplex, client: string, target: UpgradeTarget): void {
    const { framesPerSecond } = this.#limits;
    const { clock } = this.#ports;
    const connection = new Connection({ webSocket, socket, client, framesPerSecond, clock });
    this.#counter.add(client);
    this.#connections.add(connection);
    const leave = this.#heartbeat.add(connection);
    webSocket.once('close', () => {
      leave();
      this.#counter.remove(client);
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#onEmpty?.();
    });
    connection.serve(this.#endpoints.serve(connection, target));
  }
}

function makeWebSockets({ frameBytes }: SocketLimits): WebSocketServer {
  const options: ServerOptions & WsReceiverLimits = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: frameBytes,
    maxFragments: FRAGMENTS_MAX,
    maxBufferedChunks: CHUNKS_MAX,
    closeTimeout: CLOSE_MILLIS,
    handleProtocols: (_, { url }) => SOCKET_ENDPOINTS[readTarget(url ?? '').endpoint].subprotocol,
  };
  const webSockets = new WebSocketServer(options);
  webSockets.on('wsClientError', ({ message }, socket) =>
    refuseUpgrade(socket, { code: 'bad_upgrade', message }),
  );
  return webSockets;
}
