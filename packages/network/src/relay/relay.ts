/**
 * `/svc/relay/1`: one stream for each pair of peers, opened by the dialling one, used by both. New ids are announced
 * in batches; the tip is sent with every batch and at least every half minute.
 */
import type { Connection, Libp2p, Stream } from '@libp2p/interface';
import { type Clock, type Log, messageOf, type Rate, Signal, TokenBucket } from 'svc-base/pure';
import type { BlockBytes, ChainTip, NetworkApplication } from '../application.ts';
import { withPatience } from '../base/with-patience.ts';

import type { Peer } from '../peers/peer.ts';
import type { PeerBudgets, Service } from '../peers/peer-budgets.ts';
import type { Peers } from '../peers/peers.ts';
import { FrameChannel } from '../wire/frame-channel.ts';
import { decoded, PeerFault } from '../wire/peer-fault.ts';
import { Announcer } from './announcer.ts';
import { BlockRelay } from './block-relay.ts';
import { BlockServer } from './block-server.ts';
import { decodeAnnouncement, decodeTip, RELAY, RELAY_LIMITS } from './relay-bytes.ts';
import { RelayLink } from './relay-link.ts';
import type { RequestTrackerOptions, RequestTrackerOptionsChange } from './request-tracker.ts';
import { Standings } from './standing.ts';
import { TransactionRelay } from './transaction-relay.ts';

export const RELAY_PROTOCOL = '/svc/relay/1';

export interface RelayOptions {
  readonly host: Pick<Libp2p, 'handle' | 'unhandle'>;
  readonly application: NetworkApplication;
  readonly peers: Peers;
  readonly budgets: PeerBudgets;
  readonly clock: Clock;
  readonly log: Log;
  /** After this time another peer is asked. */
  readonly answerMillisMax: number;
  /** A transaction that waits for so long is announced again. */
  readonly repeatMillis: number;
  /** A node that is far behind can judge neither transactions nor blocks, and asks for none. */
  readonly isFollowing: () => boolean;
  readonly wantedOptionsOf?: RequestTrackerOptionsChange | undefined;
}

export const ANSWER_MILLIS_MAX = 5_000;
export const REPEAT_MILLIS = 30_000;

/**
 * Service for an origin: 2,048 lookups a second that find nothing. At most 256 blocks are new with each cut of two
 * seconds and a half, each is asked for once or twice, and a range of addresses has four peers: 820 in all.
 */
const SERVICE: Service = {
  protocol: RELAY_PROTOCOL,
  rate: { perSecond: 4_194_304, burst: 16_777_216 },
  urgency: 'urgent',
};
const NOTHING = new Uint8Array(0);
const OPEN_MILLIS_MAX = 10_000;
const EXPIRY_MILLIS = 250;
/** How often all pending announcements may be asked for: a peer reads nothing more for a while after one too many. */
const PENDING_RATE: Rate = { perSecond: 1 / 30, burst: 4 };
const BUDGET = {
  bytes: { perSecond: 4_194_304, burst: 16_777_216 },
  messages: { perSecond: 1_000, burst: 4_000 },
  kinds: {
    [RELAY.announce]: { perSecond: 40, burst: 200 },
    [RELAY.cut]: { perSecond: 20, burst: 100 },
    [RELAY.compactBlock]: { perSecond: 100, burst: 400 },
    [RELAY.fullBlock]: { perSecond: 50, burst: 200 },
    [RELAY.getPending]: PENDING_RATE,
  },
};

export class Relay {
  /** Emitted when a peer announces a cut. */
  readonly cutAnnounced = new Signal<{ readonly peer: Peer; readonly tip: ChainTip }>();
  readonly #options: RelayOptions;
  readonly #links = new Map<Peer, RelayLink>();
  readonly #standings = new Standings();
  readonly #transactions: TransactionRelay;
  readonly #blocks: BlockRelay;
  readonly #server: BlockServer;
  readonly #announcer: Announcer;
  readonly #pendingAsks: TokenBucket;
  readonly #ends: (() => void)[] = [];
  #cancelPump: (() => void) | undefined;
  #cancelExpiry: (() => void) | undefined;
  #cancelPending: (() => void) | undefined;
  #isClosed = false;

  constructor(options: RelayOptions) {
    this.#options = options;
    const { application, clock } = options;
    const shared = {
      application,
      now: () => clock.monotonic(),
      linkOf: (peer: Peer) => this.#links.get(peer),
      pumpSoon: () => this.#pumpSoon(),
      answerMillisMax: options.answerMillisMax,
      wantedOptionsOf: options.wantedOptionsOf ?? ((given: RequestTrackerOptions) => given),
    };
    this.#transactions = new TransactionRelay(shared);
    this.#blocks = new BlockRelay({
      ...shared,
      after: (millis, call) => clock.after(millis, call),
      links: () => [...this.#links.values()],
    });
    this.#server = new BlockServer(application);
    this.#pendingAsks = new TokenBucket(PENDING_RATE, clock.monotonic());
    this.#announcer = new Announcer({
      application,
      clock,
      links: () => [...this.#links.values()],
      repeatMillis: options.repeatMillis,
    });
  }

  /** Blocks that are asked for or waited for. */
  get queuedBlocks(): number {
    return this.#blocks.queued;
  }

  async start(): Promise<void> {
    const { host, peers, application } = this.#options;
    await host.handle(RELAY_PROTOCOL, (stream, connection) => this.#accept(stream, connection), {
      maxInboundStreams: 1,
      maxOutboundStreams: 1,
    });
    this.#ends.push(
      peers.joined.on((peer) => void this.#open(peer)),
      peers.left.on((peer) => this.#left(peer)),
      application.onCut(() => {
        this.#transactions.cutInstalled();
        this.#blocks.cutInstalled();
      }),
    );
    this.#announcer.start();
    this.#expireLater();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const end of this.#ends) end();
    this.#announcer.close();
    this.#cancelPump?.();
    this.#cancelExpiry?.();
    this.#cancelPending?.();
    await this.#options.host.unhandle(RELAY_PROTOCOL);
  }

  /** Asks every peer for its pending announcements as soon as the rate allows; for a node that has just caught up. */
  askForPending(): void {
    const { clock } = this.#options;
    const waitMillis = this.#pendingAsks.waitMillis(clock.monotonic(), 1);
    this.#cancelPending ??= clock.after(waitMillis, () => {
      this.#cancelPending = undefined;
      this.#pendingAsks.spend(1, clock.monotonic());
      for (const { channel } of this.#links.values()) channel.send(RELAY.getPending, NOTHING);
    });
  }

  fetchBlocks(ids: readonly string[], timeoutMillis: number): Promise<BlockBytes[]> {
    return this.#blocks.fetch(ids, timeoutMillis);
  }

  async #open(peer: Peer): Promise<void> {
    if (peer.direction !== 'outbound') return;
    try {
      const stream = await withPatience(this.#options.clock, OPEN_MILLIS_MAX, (signal) =>
        peer.connection.newStream(RELAY_PROTOCOL, { signal }),
      );
      this.#link(peer, stream);
    } catch (error) {
      this.#options.log.debug({ peer: peer.id, reason: messageOf(error) }, 'no relay stream');
      peer.disconnect();
    }
  }

  #accept(stream: Stream, connection: Connection): void {
    const peer = this.#options.peers.get(connection.remotePeer.toString());
    if (peer?.connection !== connection || peer.direction !== 'inbound' || this.#links.has(peer))
      stream.abort(new Error('no relay stream is due'));
    else this.#link(peer, stream);
  }

  #link(peer: Peer, stream: Stream): void {
    const { clock, budgets } = this.#options;
    const channel: FrameChannel = new FrameChannel(stream, {
      limits: RELAY_LIMITS,
      clock,
      budget: budgets.requestsOf(peer, RELAY_PROTOCOL, BUDGET),
      onFrame: (kind, payload) => this.#receive(link, kind, payload),
      onClose: (error) => {
        if (error instanceof PeerFault) peer.reject(error);
        this.#left(peer);
        peer.disconnect();
      },
    });
    const serving = budgets.serving(peer, SERVICE, channel.gone);
    const link = new RelayLink(peer, channel, this.#standings.of(peer), serving);
    this.#links.set(peer, link);
    this.#announcer.greet(link);
  }

  #receive(link: RelayLink, kind: number, payload: Uint8Array): Promise<void> | undefined {
    switch (kind) {
      case RELAY.announce:
        return this.#announced(link, payload);
      case RELAY.cut:
        return this.#tipAnnounced(link, payload);
      case RELAY.getTransactions:
        return this.#transactions.requested(link, payload);
      case RELAY.transaction:
        return this.#transactions.received(link, payload);
      case RELAY.absentTransactions:
        this.#transactions.absent(link, payload);
        return undefined;
      case RELAY.getBlocks:
        return this.#server.blocks(link, payload);
      case RELAY.getBlockTransactions:
        return this.#server.transactions(link, payload);
      case RELAY.getFullBlock:
        return this.#server.full(link, payload);
      case RELAY.compactBlock:
        return this.#blocks.compact(link, payload);
      case RELAY.blockTransactions:
        return this.#blocks.transactions(link, payload);
      case RELAY.fullBlock:
        return this.#blocks.full(link, payload);
      case RELAY.getPending:
        this.#announcer.repeat(link);
        return undefined;
      default:
        this.#blocks.absent(link, payload);
        return undefined;
    }
  }

  #announced(link: RelayLink, payload: Uint8Array): undefined {
    const { transactions, blocks } = decoded(() => decodeAnnouncement(payload));
    if (!this.#options.isFollowing()) return;
    this.#transactions.announced(link, transactions);
    this.#blocks.announced(link, blocks);
  }

  #tipAnnounced({ peer }: RelayLink, payload: Uint8Array): undefined {
    const tip = decoded(() => decodeTip(payload));
    peer.claimHeight(tip.height);
    this.cutAnnounced.emit({ peer, tip });
  }

  #left(peer: Peer): void {
    if (!this.#links.delete(peer)) return;
    this.#transactions.peerLeft(peer);
    this.#blocks.peerLeft(peer);
    this.#pumpSoon();
  }

  /** Requests of one turn go out together. */
  #pumpSoon(): void {
    if (this.#isClosed) return;
    this.#cancelPump ??= this.#options.clock.after(0, () => {
      this.#cancelPump = undefined;
      this.#blocks.pump();
      this.#transactions.wanted.pump();
    });
  }

  #expireLater(): void {
    this.#cancelExpiry = this.#options.clock.after(EXPIRY_MILLIS, () => {
      this.#transactions.wanted.expire();
      this.#blocks.expire();
      this.#pumpSoon();
      this.#expireLater();
    });
  }
}
