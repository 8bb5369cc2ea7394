/**
 * The peers as sources for sync: who has what, who is busy, who is left alone for a while because it was
 * silent, had nothing, or lied.
 */

import { type Clock, type Log, messageOf } from 'svc-base/pure';
import type { NetworkApplication } from '../application.ts';

import type { Peer } from '../peers/peer.ts';
import type { Peers } from '../peers/peers.ts';
import { PeerFault } from '../wire/peer-fault.ts';
import { SyncPeer } from './sync-peer.ts';

export interface SyncPeersOptions {
  readonly application: NetworkApplication;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly log: Log;
  /** A peer that sends nothing for so long counts as silent. */
  readonly silenceMillisMax: number;
}

const REQUESTS_PER_PEER_MAX = 2;
const RETRY_MILLIS = 1_000;
const RETRY_MILLIS_MAX = 60_000;
const LIAR_MILLIS = 600_000;

interface Source {
  readonly sync: SyncPeer;
  underWay: number;
  failures: number;
  restsUntilMillis: number;
}

export class SyncPeers {
  readonly #options: SyncPeersOptions;
  readonly #sources = new Map<Peer, Source>();

  constructor(options: SyncPeersOptions) {
    this.#options = options;
  }

  joined(peer: Peer): void {
    const sync = new SyncPeer(peer, this.#options);
    this.#sources.set(peer, { sync, underWay: 0, failures: 0, restsUntilMillis: 0 });
  }

  left(peer: Peer): void {
    this.#sources.get(peer)?.sync.close();
    this.#sources.delete(peer);
  }

  /** The greatest height that somebody claims who has not just failed to show it. */
  get claimedHeight(): number {
    const now = this.#options.clock.now();
    let claimed = 0;
    for (const [peer, { restsUntilMillis }] of this.#sources)
      if (restsUntilMillis <= now) claimed = Math.max(claimed, peer.claimedHeight);
    return claimed;
  }

  /** How many could be asked now for a cut of this height. */
  idleCount(height: number, hasBlocks: boolean): number {
    return this.#usable(height, hasBlocks).length;
  }

  /** The fastest that can be asked now; those never asked are tried first. */
  pick(height: number, hasBlocks: boolean, except?: ReadonlySet<SyncPeer>): SyncPeer | undefined {
    const usable = this.#usable(height, hasBlocks).filter(({ sync }) => except?.has(sync) !== true);
    usable.sort((a, b) => a.underWay - b.underWay || speedOf(b) - speedOf(a));
    return usable[0]?.sync;
  }

  /** Makes a request of a peer; a failure counts against the peer and resolves with undefined. */
  async ask<T>(sync: SyncPeer, request: () => Promise<T | undefined>): Promise<T | undefined> {
    const source = this.#sources.get(sync.peer);
    if (source === undefined) return undefined;
    source.underWay++;
    try {
      const result = await request();
      if (result === undefined) this.#rest(source);
      else source.failures = 0;
      return result;
    } catch (error) {
      this.#failed(source, error);
      return undefined;
    } finally {
      source.underWay--;
    }
  }

  #usable(height: number, hasBlocks: boolean): Source[] {
    const now = this.#options.clock.now();
    return [...this.#sources.values()].filter(({ sync, underWay, restsUntilMillis }) => {
      const { peer } = sync;
      const { headersFrom, blocksFrom } = peer.hello.holdings;
      const from = hasBlocks ? Math.max(headersFrom, blocksFrom) : headersFrom;
      return (
        restsUntilMillis <= now &&
        underWay < REQUESTS_PER_PEER_MAX &&
        peer.claimedHeight >= height &&
        from <= height
      );
    });
  }

  #failed(source: Source, error: unknown): void {
    const { peer } = source.sync;
    const { log, clock } = this.#options;
    log.info({ peer: peer.id, reason: messageOf(error) }, 'sync asks another peer');
    if (error instanceof PeerFault) {
      source.restsUntilMillis = clock.now() + LIAR_MILLIS;
      peer.reject(error);
      return;
    }
    source.sync.close();
    this.#rest(source);
  }

  #rest(source: Source): void {
    const millis = Math.min(RETRY_MILLIS_MAX, RETRY_MILLIS * 2 ** source.failures);
    source.failures++;
    source.restsUntilMillis = this.#options.clock.now() + millis;
  }
}

function speedOf({ sync }: Source): number {
  return sync.bytesPerSecond ?? Number.POSITIVE_INFINITY;
}
