/**
 * Keeps the wanted number of own connections open: to peers from the book, and to bootstrap addresses when the book
 * has none or none of its peers can be reached. The limits of the gater prefer peers of different address ranges. Now
 * and then an unverified peer is tried, so that the book has proven peers when they are needed; a stalled tip makes
 * the node look for more peers than usual.
 */
import type { Libp2p } from '@libp2p/interface';
import type { Multiaddr } from '@multiformats/multiaddr';
import { type Clock, type Log, messageOf } from 'svc-base/pure';
import { withPatience } from '../base/with-patience.ts';
import type { Gater } from '../host/gater.ts';
import { peerIdOf, tcpMultiaddr } from '../host/multiaddresses.ts';
import type { Bans } from './bans.ts';
import type { PeerExchange } from './exchange.ts';
import type { KnownPeer, PeerBook } from './peer-book.ts';
import type { Peers } from './peers.ts';

export interface ConnectorOptions {
  readonly host: Libp2p;
  readonly peers: Peers;
  readonly book: PeerBook;
  readonly bans: Bans;
  readonly gater: Gater;
  readonly exchange: PeerExchange;
  readonly bootstrap: readonly Multiaddr[];
  readonly outboundTarget: number;
  /** Whether no cut came for longer than usual. */
  readonly isTipStale: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

const TICK_MILLIS = 1_000;
const DIALS_MAX = 4;
/** Until a connection is encrypted, as time in which this process runs. */
const DIAL_MILLIS_MAX = 10_000;
const BOOTSTRAP_RETRY_MILLIS = 2_000;
const BOOTSTRAP_RETRY_MILLIS_MAX = 300_000;
const EXCHANGE_MILLIS = 60_000;
/** Without any connection of its own for so long the node turns to bootstrap addresses, whatever the book offers. */
const ALONE_MILLIS = 5_000;
const FEELER_MILLIS = 120_000;
/** Additional connections while the tip is stalled. */
const EXTRA_OUTBOUND = 2;

interface BootstrapState {
  readonly address: Multiaddr;
  /** Learnt from the first connection where the address does not name it. */
  peerId: string | undefined;
  failures: number;
  nextMillis: number;
}

export class Connector {
  readonly #options: ConnectorOptions;
  readonly #bootstrap: BootstrapState[];
  readonly #dialling = new Set<string>();
  /** Ids of peers that are dialled only to check that they exist. */
  readonly #feelers = new Set<string>();
  #askedAtMillis = Number.NEGATIVE_INFINITY;
  #feltAtMillis: number;
  #connectedAtMillis: number;
  #cancelTick: (() => void) | undefined;
  #isClosed = false;

  constructor(options: ConnectorOptions) {
    this.#options = options;
    this.#feltAtMillis = options.clock.monotonic();
    this.#connectedAtMillis = options.clock.monotonic();
    this.#bootstrap = options.bootstrap.map((address) => ({
      address,
      peerId: peerIdOf(address),
      failures: 0,
      nextMillis: Number.NEGATIVE_INFINITY,
    }));
  }

  start(): void {
    const { peers } = this.#options;
    peers.joined.on((peer) => {
      if (peer.direction !== 'outbound') return;
      if (this.#feelers.delete(peer.id) && !this.#isShort) peer.disconnect();
      else void this.#options.exchange.ask(peer);
    });
    peers.left.on(() => this.#tickSoon());
    this.#tick();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTick?.();
  }

  #tickSoon(): void {
    if (this.#isClosed) return;
    this.#cancelTick?.();
    this.#cancelTick = this.#options.clock.after(50, () => this.#tick());
  }

  #tick(): void {
    if (this.#isClosed) return;
    this.#fill();
    this.#feel();
    this.#cancelTick = this.#options.clock.after(TICK_MILLIS, () => this.#tick());
  }

  #fill(): void {
    const { peers, book, clock } = this.#options;
    const now = clock.monotonic();
    const connected = peers.count('outbound');
    if (connected > 0) this.#connectedAtMillis = now;
    let missing = this.#target - connected - this.#dialling.size;
    missing = Math.min(missing, DIALS_MAX - this.#dialling.size);
    if (missing <= 0) return;
    if (now - this.#connectedAtMillis > ALONE_MILLIS) this.#dialBootstrap(1);
    const candidates = book.candidates().filter((peer) => this.#isWanted(peer));
    for (const peer of candidates.slice(0, missing)) this.#dialKnown(peer);
    if (candidates.length < missing) {
      this.#askForMore();
      this.#dialBootstrap(missing - candidates.length);
    }
  }

  get #target(): number {
    const { outboundTarget, isTipStale } = this.#options;
    return outboundTarget === 0 || !isTipStale() ? outboundTarget : outboundTarget + EXTRA_OUTBOUND;
  }

  /** Whether the node has fewer connections of its own than it should. */
  get #isShort(): boolean {
    return this.#options.peers.count('outbound') <= this.#target;
  }

  /** Dials one unverified peer, when there are connections enough. */
  #feel(): void {
    const { clock, book, peers } = this.#options;
    const now = clock.monotonic();
    if (now < this.#feltAtMillis + FEELER_MILLIS || peers.count('outbound') < this.#target) return;
    this.#feltAtMillis = now;
    const heard = book.candidates().find((peer) => !peer.isProven && this.#isWanted(peer));
    if (heard === undefined) return;
    this.#feelers.add(heard.id);
    this.#dialKnown(heard);
  }

  #isWanted({ id, address }: KnownPeer): boolean {
    const { host, peers, bans, gater } = this.#options;
    if (id === host.peerId.toString() || peers.get(id) !== undefined) return false;
    if (this.#dialling.has(id) || bans.isPeerBanned(id) || bans.isHostBanned(address.host))
      return false;
    return gater.hasRoomFor(address.host);
  }

  #dialKnown({ id, address }: KnownPeer): void {
    const { book, peers } = this.#options;
    book.tried(id);
    this.#dial(id, tcpMultiaddr(address, id)).catch(() => {
      this.#feelers.delete(id);
      book.failed(id, peers.size > 0);
    });
  }

  #dialBootstrap(count: number): void {
    const { clock, peers } = this.#options;
    const now = clock.monotonic();
    const due = this.#bootstrap.filter(({ address, peerId, nextMillis }) => {
      const isConnected = peerId !== undefined && peers.get(peerId) !== undefined;
      return nextMillis <= now && !isConnected && !this.#dialling.has(address.toString());
    });
    for (const state of due.slice(0, count)) {
      const wait = BOOTSTRAP_RETRY_MILLIS * 2 ** state.failures;
      state.nextMillis = now + Math.min(BOOTSTRAP_RETRY_MILLIS_MAX, wait);
      this.#dial(state.address.toString(), state.address).then(
        (peerId) => {
          state.peerId = peerId;
          state.failures = 0;
        },
        () => (state.failures = Math.min(state.failures + 1, 10)),
      );
    }
  }

  async #dial(key: string, address: Multiaddr): Promise<string> {
    const { host, clock, log } = this.#options;
    this.#dialling.add(key);
    try {
      const { remotePeer } = await withPatience(clock, DIAL_MILLIS_MAX, (signal) =>
        host.dial(address, { signal }),
      );
      return remotePeer.toString();
    } catch (error) {
      log.debug({ address: address.toString(), reason: messageOf(error) }, 'dial failed');
      throw error;
    } finally {
      this.#dialling.delete(key);
    }
  }

  #askForMore(): void {
    const { clock, peers, exchange } = this.#options;
    if (clock.monotonic() < this.#askedAtMillis + EXCHANGE_MILLIS) return;
    const all = peers.list();
    const peer = all[Math.floor(Math.random() * all.length)];
    if (peer === undefined) return;
    this.#askedAtMillis = clock.monotonic();
    void exchange.ask(peer);
  }
}
