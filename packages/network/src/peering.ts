/**
 * What a node announces to its peers, asks of them and answers them: relay and sync over a host and its peers. It
 * does not open connections, so that a simulation can use its own in place of libp2p's.
 */
import type { Libp2p } from '@libp2p/interface';
import type { Clock, Log } from 'svc-base/pure';
import type { NetworkApplication } from './application.ts';
import type { PeerBudgets } from './peers/peer-budgets.ts';
import type { Peers } from './peers/peers.ts';
import { Relay } from './relay/relay.ts';
import type { RequestTrackerOptionsChange } from './relay/request-tracker.ts';
import type { CertificateSpacing } from './sync/header-sync.ts';
import { HistoryFetch } from './sync/history-fetch.ts';
import type { HistoryKeeper } from './sync/history-keeper.ts';
import { PastFetch } from './sync/past-fetch.ts';
import { StateFetch } from './sync/state-fetch.ts';
import type { StateKeeper } from './sync/state-keeper.ts';
import { Sync, type SyncTiming } from './sync/sync.ts';
import { SERVED_RATE, SyncServer } from './sync/sync-server.ts';

export type { Connection, Stream } from '@libp2p/interface';
export type { SocketAddress } from './base/addresses.ts';
export { BAN_MILLIS, Bans } from './peers/bans.ts';
export { Peer } from './peers/peer.ts';
export { PEER_BOOK_OPTIONS, PeerBook } from './peers/peer-book.ts';
export { PeerBudgets } from './peers/peer-budgets.ts';
export { Peers } from './peers/peers.ts';
export { ANSWER_MILLIS_MAX, RELAY_PROTOCOL, REPEAT_MILLIS } from './relay/relay.ts';
export {
  ANNOUNCED_BLOCKS_MAX,
  ANNOUNCED_TRANSACTIONS_MAX,
  encodeAnnouncement,
  encodeTip,
  RELAY,
} from './relay/relay-bytes.ts';
export { SYNC_TIMING } from './sync/sync.ts';
export { encodeHeightRange, SYNC } from './sync/sync-bytes.ts';
export { SYNC_PROTOCOL } from './sync/sync-server.ts';
export { encodeFrame } from './wire/frame-parser.ts';
export { END } from './wire/requests.ts';

/** The part of a host that relay and sync use. */
export type PeerHost = Pick<Libp2p, 'handle' | 'unhandle'>;

export interface PeeringPorts {
  readonly host: PeerHost;
  readonly application: NetworkApplication;
  readonly peers: Peers;
  readonly budgets: PeerBudgets;
  readonly clock: Clock;
  readonly log: Log;
}

export interface PeeringOptions {
  /** How long a peer may take to answer for a transaction or block. */
  readonly answerMillisMax: number;
  /** A transaction that waits for so long is announced again. */
  readonly repeatMillis: number;
  readonly timing: SyncTiming;
  /** Every cut is fetched with its own certificate if absent. */
  readonly spacing?: CertificateSpacing | undefined;
  /** False for a node that takes no cuts: it has no chain yet, or is being repaired. */
  readonly follows?: boolean;
  /** Whether announcements are handled: while the node follows, unless a simulation changes it. */
  readonly hears?: (sync: Sync) => boolean;
  /** Changes how announced entries are requested, for simulations. */
  readonly wantedOptionsOf?: RequestTrackerOptionsChange;
}

export class Peering {
  readonly relay: Relay;
  readonly sync: Sync;
  readonly #server: SyncServer;
  readonly #ports: PeeringPorts;
  readonly #timing: SyncTiming;
  readonly #follows: boolean;

  constructor(ports: PeeringPorts, options: PeeringOptions) {
    const { answerMillisMax, repeatMillis, timing, spacing, wantedOptionsOf } = options;
    const { hears = follows } = options;
    this.#ports = ports;
    this.#timing = timing;
    this.#follows = options.follows ?? true;
    this.sync = new Sync({ ...ports, timing, spacing });
    const isFollowing = (): boolean => this.#follows && hears(this.sync);
    this.relay = new Relay({
      ...ports,
      answerMillisMax,
      repeatMillis,
      isFollowing,
      wantedOptionsOf,
    });
    this.sync.caughtUp.on(() => this.relay.askForPending());
    this.relay.cutAnnounced.on(() => this.sync.claimed());
    this.#server = new SyncServer({ ...ports, rate: SERVED_RATE });
  }

  async start(): Promise<void> {
    await this.relay.start();
    await this.#server.start();
    if (this.#follows) this.sync.start();
  }

  stateFetch(keeper: StateKeeper): StateFetch {
    return new StateFetch({ ...this.#ports, timing: this.#timing, keeper });
  }

  pastFetch(): PastFetch {
    return new PastFetch({ ...this.#ports, timing: this.#timing });
  }

  historyFetch(keeper: HistoryKeeper): HistoryFetch {
    const isCalm = (): boolean => this.sync.isFollowing;
    return new HistoryFetch({ ...this.#ports, timing: this.#timing, keeper, isCalm });
  }

  async close(): Promise<void> {
    await this.sync.close();
    await this.relay.close();
  }
}

function follows({ isFollowing }: Sync): boolean {
  return isFollowing;
}
