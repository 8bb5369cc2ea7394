/**
 * What is behind the three sockets: who is served by what, from which sources.
 */
import type { SocketLimits } from 'svc-api';
import { Addresses } from '../documents/addresses.ts';
import type { Connection, ConnectionHandler } from './connection/connection.ts';
import { CutFeed } from './events/cut-feed.ts';
import { Fanout } from './fanout/fanout.ts';
import type { SocketParts } from './ports.ts';
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
  /** While it says so, events are held back as if no client read. */
  readonly held: () => boolean;
}

export class Endpoints {
  readonly #parts: SocketParts;
  readonly #options: EndpointOptions;
  readonly #addresses: Addresses;
  readonly #fanout = new Fanout();
  readonly #sessions = new Set<ApiSession>();
  readonly #stop: () => void;
  readonly #watch: StatusWatch;
  readonly #topics: Topics;
  readonly #feed: CutFeed;
  #height: number;

  constructor(parts: SocketParts, options: EndpointOptions) {
    const { services } = parts;
    this.#addresses = new Addresses(services.chain.genesis.network);
    const common = { addresses: this.#addresses, fanout: this.#fanout };
    this.#parts = parts;
    this.#options = options;
    this.#height = services.chain.head.height;
    // Before the topics, so that clients learn of a gap before they see what comes after it.
    this.#stop = services.chain.finalized.on(({ height }) => this.#reached(height));
    this.#watch = new StatusWatch(services);
    this.#topics = new Topics({ ...common, ...options, parts, watch: this.#watch });
    this.#feed = new CutFeed({ ...common, ...options, services, clock: parts.clock });
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

  /** Events are no longer held back. */
  released(): void {
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
    const { limits, held } = this.#options;
    const { clock, read, services } = this.#parts;
    const { log } = services;
    const session = new ApiSession({
      connection,
      limits,
      held,
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
