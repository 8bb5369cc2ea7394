/**
 * All peers that shook hands, one connection for each. Faults are turned into bans here.
 */

import { type Clock, type Log, Signal } from 'svc-base/pure';
import { BAN_SCORE, type PeerFault } from '../wire/peer-fault.ts';
import type { Bans } from './bans.ts';
import { peerToEvict } from './eviction.ts';
import type { Peer } from './peer.ts';
import type { PeerBook } from './peer-book.ts';

export interface PeersOptions {
  readonly ownId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly book: PeerBook;
  readonly bans: Bans;
  readonly banMillis: number;
  /** The most peers that dialled this node; one more makes another lose its place. */
  readonly inboundMax: number;
}

/** Two connections that were opened within this span count as simultaneous. */
const RACE_MILLIS = 10_000;

export class Peers {
  readonly joined = new Signal<Peer>();
  readonly left = new Signal<Peer>();
  readonly #options: PeersOptions;
  readonly #peers = new Map<string, Peer>();

  constructor(options: PeersOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#peers.size;
  }

  get(id: string): Peer | undefined {
    return this.#peers.get(id);
  }

  list(): Peer[] {
    return [...this.#peers.values()];
  }

  count(direction: 'inbound' | 'outbound'): number {
    return this.list().filter((peer) => peer.direction === direction).length;
  }

  /** Adds the peer; returns false if it is gone already, or if its earlier connection is the one to keep. */
  admit(peer: Peer): boolean {
    const existing = this.#peers.get(peer.id);
    if (existing !== undefined) {
      if (this.#isToKeep(existing, peer)) return false;
      this.#remove(existing);
      existing.disconnect();
    }
    this.#peers.set(peer.id, peer);
    peer.connection.addEventListener('close', () => this.#remove(peer), { once: true });
    if (!peer.isConnected) {
      this.#peers.delete(peer.id);
      return false;
    }
    this.joined.emit(peer);
    if (peer.direction === 'inbound') this.#makeRoom(peer);
    return true;
  }

  #makeRoom(newcomer: Peer): void {
    const { inboundMax, log } = this.#options;
    const inbound = this.list().filter(({ direction }) => direction === 'inbound');
    if (inbound.length <= inboundMax) return;
    const evicted = peerToEvict(inbound.filter((peer) => peer !== newcomer)) ?? newcomer;
    log.debug({ peer: evicted.id, newcomer: newcomer.id }, 'peer gives its place to another');
    this.#remove(evicted);
    evicted.disconnect();
  }

  /** Called by every peer after one of its faults. */
  faulted(peer: Peer, fault: PeerFault): void {
    const { book, log } = this.#options;
    book.setScore(peer.id, peer.score);
    const fields = { peer: peer.id, fault: fault.kind, reason: fault.message, score: peer.score };
    log.info(fields, 'peer sent something wrong');
    if (peer.score > BAN_SCORE) return;
    this.ban(peer, fault.message);
  }

  ban(peer: Peer, reason: string): void {
    const { bans, banMillis, clock, log } = this.#options;
    const untilMillis = clock.now() + banMillis;
    bans.addPeer(peer, reason, untilMillis);
    log.warn({ peer: peer.id, reason, untilMillis }, 'peer banned');
    peer.disconnect();
  }

  /**
   * Peers that dial each other at once must drop the same connection: the one that the greater id opened.
   * Later on a new connection means that the peer has lost the old one.
   */
  #isToKeep(existing: Peer, other: Peer): boolean {
    if (!existing.isConnected) return false;
    if (other.joinedAtMillis - existing.joinedAtMillis > RACE_MILLIS) return false;
    if (existing.direction === other.direction) return false;
    const dialledByLower = this.#options.ownId < existing.id ? 'outbound' : 'inbound';
    return existing.direction === dialledByLower;
  }

  #remove(peer: Peer): void {
    if (this.#peers.get(peer.id) !== peer) return;
    this.#peers.delete(peer.id);
    this.#options.book.setScore(peer.id, peer.score);
    this.left.emit(peer);
  }
}
