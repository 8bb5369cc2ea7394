/**
 * The peer-to-peer side of a node as one object: host, peers, relay, sync. It is started once and closed once.
 */
import type { Connection, Libp2p } from '@libp2p/interface';
import { type Clock, type Log, messageOf, SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import type { NetworkApplication } from './application.ts';
import { Handshake } from './handshake/handshake.ts';
import { createHost } from './host/create-host.ts';
import { Gater } from './host/gater.ts';
import { parsePeerAddress, socketAddressOf } from './host/multiaddresses.ts';
import type { Remote } from './host/muxer-guard.ts';
import { HOST_DEFAULTS, type HostOptions, P2P_PORT } from './host/options.ts';
import { openPeerKey } from './host/peer-key.ts';
import { Traffic } from './host/traffic.ts';
import { UpgradeLimit } from './host/upgrade-limit.ts';
import { Peering } from './peering.ts';
import { BAN_MILLIS, Bans } from './peers/bans.ts';
import { Connector } from './peers/connector.ts';
import { PeerExchange } from './peers/exchange.ts';
import { PEER_BOOK_OPTIONS, PeerBook } from './peers/peer-book.ts';
import { PeerBookFile } from './peers/peer-book-file.ts';
import { PeerBudgets } from './peers/peer-budgets.ts';
import { Peers } from './peers/peers.ts';
import { ANSWER_MILLIS_MAX, REPEAT_MILLIS, type Relay } from './relay/relay.ts';
import type { CertificateSpacing } from './sync/header-sync.ts';
import type { HistoryFetch } from './sync/history-fetch.ts';
import type { HistoryKeeper } from './sync/history-keeper.ts';
import type { PastFetch } from './sync/past-fetch.ts';
import type { StateFetch } from './sync/state-fetch.ts';
import type { StateKeeper } from './sync/state-keeper.ts';
import { SYNC_TIMING, type Sync, type SyncTiming } from './sync/sync.ts';

export interface NetworkOptions extends Partial<Omit<HostOptions, 'directory'>> {
  /** The folder `network` of the data directory. */
  readonly directory: string;
  /** Multiaddrs, or hosts with or without a port. */
  readonly bootstrap?: readonly string[];
  /** Bytes a second of all answers to peers together; no limit if 0 or absent. */
  readonly uploadBytesPerSecond?: number;
  readonly banMillis?: number;
  /** How long a peer may take to answer for a transaction or block. */
  readonly answerMillisMax?: number;
  /** A transaction that waits for so long is announced again. */
  readonly repeatMillis?: number;
  readonly syncTiming?: Partial<SyncTiming>;
  /** Every cut is fetched with its own certificate if absent. */
  readonly certificateSpacing?: CertificateSpacing;
  /** False for a node that takes no cuts: it gets no announcements, and requests only a state or lost data. */
  readonly follows?: boolean;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** How often the peer book and the bans are written, if they changed. */
const SAVE_MILLIS = 60_000;
/** Peers that are dialled first after a restart: those of this node's own choice that were connected the longest. */
const ANCHORS_MAX = 4;

export class Network {
  readonly traffic: Traffic;
  readonly bans: Bans;
  readonly book: PeerBook;
  readonly peers: Peers;
  readonly handshake: Handshake;
  readonly #peering: Peering;
  readonly #host: Libp2p;
  readonly #gater: Gater;
  readonly #exchange: PeerExchange;
  readonly #connector: Connector;
  readonly #file: PeerBookFile;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #wantsQuic: boolean;
  #cancelSave: (() => void) | undefined;
  #saving = Promise.resolve();
  /** Whether something changed that no write has brought to the disk. */
  #isUnsaved = false;
  #closing: Promise<void> | undefined;

  private constructor(
    options: HostOptions & NetworkOptions,
    application: NetworkApplication,
    parts: { host: Libp2p; gater: Gater; traffic: Traffic; bans: Bans; book: PeerBook },
  ) {
    const { host, gater, traffic, bans, book } = parts;
    const clock = options.clock ?? SYSTEM_CLOCK;
    const log = options.log ?? SILENT_LOG;
    const { agent, limits, allowPrivateAddresses } = options;
    const banMillis = options.banMillis ?? BAN_MILLIS;
    const ownId = host.peerId.toString();
    const { inboundMax } = limits;
    const peers = new Peers({ ownId, clock, log, book, bans, banMillis, inboundMax });
    const listeningPort = (): number => this.#listeningPort();
    const bootstrap = (options.bootstrap ?? []).map((text) => parsePeerAddress(text, P2P_PORT));
    const { uploadBytesPerSecond = 0 } = options;
    const budgets = new PeerBudgets({ clock, uploadBytesPerSecond });
    const shared = { host, peers, book, budgets, clock, log };
    const exchange = new PeerExchange({ ...shared, allowPrivateAddresses });
    this.#host = host;
    this.#gater = gater;
    this.#clock = clock;
    this.#log = log;
    this.#wantsQuic = options.quic;
    this.#file = new PeerBookFile(options.directory, log);
    this.#exchange = exchange;
    this.#connector = new Connector({
      ...shared,
      bans,
      gater,
      exchange,
      bootstrap,
      outboundTarget: limits.outboundTarget,
      isTipStale: () => this.sync.isTipStale,
    });
    this.traffic = traffic;
    this.bans = bans;
    this.book = book;
    this.peers = peers;
    const isCrowded = (): boolean => gater.count('inbound') >= inboundMax;
    this.handshake = new Handshake({ ...shared, application, agent, listeningPort, isCrowded });
    this.#peering = new Peering(
      { ...shared, application },
      {
        answerMillisMax: options.answerMillisMax ?? ANSWER_MILLIS_MAX,
        repeatMillis: options.repeatMillis ?? REPEAT_MILLIS,
        timing: { ...SYNC_TIMING, ...options.syncTiming },
        spacing: options.certificateSpacing,
        follows: options.follows ?? true,
      },
    );
  }

  /** Makes everything and opens nothing yet. */
  static async create(options: NetworkOptions, application: NetworkApplication): Promise<Network> {
    const full = { ...HOST_DEFAULTS, ...options };
    const clock = options.clock ?? SYSTEM_CLOCK;
    const now = (): number => clock.now();
    const key = await openPeerKey(options.directory);
    const bans = new Bans(clock);
    const { allowPrivateAddresses } = full;
    const book = new PeerBook({ ...PEER_BOOK_OPTIONS, allowPrivateAddresses }, now);
    const gater = new Gater(full, bans, clock);
    const traffic = new Traffic();
    const places = new UpgradeLimit((one) => book.hasProvenHost(one), clock);
    const banMillis = options.banMillis ?? BAN_MILLIS;
    const log = options.log ?? SILENT_LOG;
    const onExcess = (remote: Remote, reason: string): void => {
      bans.addPeer(remote, reason, clock.now() + banMillis);
      log.warn({ peer: remote.id, reason }, 'peer banned');
    };
    const watch = { clock, onExcess };
    const host = await createHost(full, key, gater, traffic, { places, watch });
    return new Network(full, application, { host, gater, traffic, bans, book });
  }

  get relay(): Relay {
    return this.#peering.relay;
  }

  get sync(): Sync {
    return this.#peering.sync;
  }

  /** Fetches a state from the peers, for a node that does not follow; to be run once. */
  stateFetch(keeper: StateKeeper): StateFetch {
    return this.#peering.stateFetch(keeper);
  }

  /** Asks the peers for what a node that does not follow has lost; to be closed by the caller. */
  pastFetch(): PastFetch {
    return this.#peering.pastFetch();
  }

  /** Fetches the cuts before the node's first one at the lowest priority; to be run once and closed by the caller. */
  historyFetch(keeper: HistoryKeeper): HistoryFetch {
    return this.#peering.historyFetch(keeper);
  }

  get peerId(): string {
    return this.#host.peerId.toString();
  }

  /** Where this node listens, as multiaddrs with its peer id. */
  get addresses(): string[] {
    return this.#host.getMultiaddrs().map((address) => address.toString());
  }

  async start(): Promise<void> {
    await this.#file.load(this.book, this.bans);
    this.#watchDoor();
    await this.handshake.start();
    await this.#exchange.start();
    await this.#peering.start();
    await this.#host.start();
    this.#connector.start();
    this.#saveLater();
    if (this.#wantsQuic && !this.addresses.some((address) => address.includes('/quic-v1')))
      this.#log.warn({}, 'QUIC was asked for, and this machine has no binary for it');
    this.#log.info(
      { peer: this.peerId, addresses: this.addresses.join(' ') },
      'listening for peers',
    );
  }

  #watchDoor(): void {
    const isPeer = (connection: Connection): boolean =>
      this.peers.get(connection.remotePeer.toString())?.connection === connection;
    this.#host.addEventListener('connection:open', ({ detail }) =>
      this.#gater.opened(detail, isPeer(detail)),
    );
    this.#host.addEventListener('connection:close', ({ detail }) => this.#gater.closed(detail));
    this.peers.joined.on(({ connection }) => this.#gater.greeted(connection));
  }

  /** Asks a connected peer for others now; resolves with how many were new. */
  async askForPeers(peerId: string): Promise<number> {
    const peer = this.peers.get(peerId);
    return peer === undefined ? 0 : await this.#exchange.ask(peer);
  }

  /** Idempotent; connections are closed and the peer book is written. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#cancelSave?.();
    this.#connector.close();
    await this.#save();
    await this.#peering.close();
    await this.#host.stop();
    await this.#save();
  }

  #saveLater(): void {
    this.#cancelSave = this.#clock.after(SAVE_MILLIS, () => {
      void this.#save();
      this.#saveLater();
    });
  }

  /** Writes what changed, after any write that is under way; what cannot be written is tried again by the next call. */
  #save(): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      this.#markAnchors();
      const changes = [this.book.consumeChange(), this.bans.consumeChange()];
      this.#isUnsaved ||= changes.includes(true);
      if (!this.#isUnsaved) return;
      try {
        await this.#file.save(this.book, this.bans);
        this.#isUnsaved = false;
      } catch (error) {
        this.#log.warn({ reason: messageOf(error) }, 'the peer book could not be written');
      }
    });
    return this.#saving;
  }

  #markAnchors(): void {
    const outbound = this.peers
      .list()
      .filter(({ direction }) => direction === 'outbound')
      .sort((a, b) => a.joinedAtMillis - b.joinedAtMillis);
    if (outbound.length > 0)
      this.book.setAnchors(new Set(outbound.slice(0, ANCHORS_MAX).map(({ id }) => id)));
  }

  #listeningPort(): number {
    const [first] = this.#host.getMultiaddrs();
    return first === undefined ? 0 : (socketAddressOf(first)?.port ?? 0);
  }
}
