/**
 * What is behind the three sockets: who is served by what, from which sources.
 */
import type { SocketLimits } from 'svc-api';
import { Addresses } from '../documents/addresses.ts';
import type { Connection, ConnectionHandler } from './connection/connection.ts';
import { CutFeed } from './events/cut-feed.ts';
import { Fanout } from './fanout/fanout.ts';
import type { SocketPorts } from './ports.ts';
import { ApiSession } from './session/api-session.ts';
import { Reads } from './session/reads.ts';
import { StatusStream } from './status/status-stream.ts';
import { StatusWatch } from './status/status-watch.ts';
import { Topics } from './topics/topics.ts';
import type { UpgradeTarget } from './upgrade/upgrade-target.ts';

export interface EndpointOptions {
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
