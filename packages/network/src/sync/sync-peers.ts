/**
 * The peers as sources for sync: which has what, which is busy, and which is left out for a while because it was
 * silent, had nothing, or lied. A claim of a peer counts until the peer had the chance to prove it; after a failure
 * its claims do not count before it has proven something.
 */

import { type Clock, type Log, messageOf } from 'svc-base/pure';
import type { NetworkApplication } from '../application.ts';
import { originOf } from '../base/addresses.ts';
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
  /** The whole answer to a request must have come within this time. */
  readonly answerMillisMax: number;
}

const REQUESTS_PER_PEER_MAX = 2;
const RETRY_MILLIS = 1_000;
const RETRY_MILLIS_MAX = 60_000;
const LIAR_MILLIS = 600_000;
/** A peer that failed so often and never showed anything is disconnected. */
const FAILURES_MAX = 3;
/** The most origins whose failures are remembered after their peers left. */
const REMEMBERED_MAX = 1_024;
/** The speed that is expected of a peer that has not answered yet. */
const UNPROVEN_BYTES_PER_SECOND = 16_384;

interface Source {
  readonly sync: SyncPeer;
  underWay: number;
  /** Failures since the last useful answer. */
  failures: number;
  restsUntilMillis: number;
  hasDelivered: boolean;
}

type Failures = Pick<Source, 'failures' | 'restsUntilMillis'>;

export class SyncPeers {
  readonly #options: SyncPeersOptions;
  readonly #sources = new Map<Peer, Source>();
  /** Failures of departed peers, by origin: only deliveries from there clear them. */
  readonly #remembered = new Map<string, Failures>();

  constructor(options: SyncPeersOptions) {
    this.#options = options;
  }

  joined(peer: Peer): void {
    const sync = new SyncPeer(peer, this.#options);
    const { failures, restsUntilMillis } = this.#remembered.get(originOf(peer)) ?? {
      failures: 0,
      restsUntilMillis: 0,
    };
    this.#sources.set(peer, { sync, underWay: 0, failures, restsUntilMillis, hasDelivered: false });
  }

  left(peer: Peer): void {
    const source = this.#sources.get(peer);
    if (source === undefined) return;
    source.sync.close();
    this.#sources.delete(peer);
    const { failures, restsUntilMillis, hasDelivered } = source;
    if (failures === 0 || hasDelivered) return;
    const origin = originOf(peer);
    const remembered = this.#remembered.get(origin);
    this.#remembered.delete(origin);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size >= REMEMBERED_MAX && oldest !== undefined)
      this.#remembered.delete(oldest);
    this.#remembered.set(origin, {
      failures: Math.max(failures, remembered?.failures ?? 0),
      restsUntilMillis: Math.max(restsUntilMillis, remembered?.restsUntilMillis ?? 0),
    });
  }

  /** The greatest claimed height, without peers that failed to prove something since their last proof. */
  get credibleHeight(): number {
    let claimed = 0;
    for (const [peer, { failures }] of this.#sources)
      if (failures === 0) claimed = Math.max(claimed, peer.claimedHeight);
    return claimed;
  }

  /** The greatest height for which a peer can be asked now. */
  get askableHeight(): number {
    const now = this.#options.clock.monotonic();
    let claimed = 0;
    for (const [peer, { restsUntilMillis }] of this.#sources)
      if (restsUntilMillis <= now) claimed = Math.max(claimed, peer.claimedHeight);
    return claimed;
  }

  /**
   * The peer to ask now: those that have delivered something first, then those without a recent failure, then the one
   * expected to answer soonest with its pending requests, then those that this node dialled. A newcomer never comes
   * before a peer that has delivered: short answers make every peer look slow. Without a height any peer may be chosen.
   */
  pick(
    height: number | undefined,
    hasBlocks: boolean,
    except?: ReadonlySet<SyncPeer>,
  ): SyncPeer | undefined {
    const usable = this.#usable(height, hasBlocks).filter(({ sync }) => except?.has(sync) !== true);
    const order = (source: Source): [number, number, number] => [
      (source.hasDelivered ? 0 : 2) + Math.min(source.failures, 1),
      -speedOf(source) / (source.underWay + 1),
      source.sync.peer.direction === 'outbound' ? 0 : 1,
    ];
    const ranked = usable.map((source) => ({ source, order: order(source) }));
    ranked.sort(({ order: a }, { order: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    return ranked[0]?.source.sync;
  }

  list(): SyncPeer[] {
    return [...this.#sources.values()].map(({ sync }) => sync);
  }

  /** The peers that can be asked for something now. */
  usable(): SyncPeer[] {
    const now = this.#options.clock.monotonic();
    return [...this.#sources.values()]
      .filter((source) => isFree(source, now))
      .map(({ sync }) => sync);
  }

  /** Whether some peer can be asked for something now. */
  get hasFree(): boolean {
    const now = this.#options.clock.monotonic();
    for (const source of this.#sources.values()) if (isFree(source, now)) return true;
    return false;
  }

  /** Makes a request of a peer; a failure counts against the peer and resolves with undefined. */
  async ask<T>(sync: SyncPeer, request: () => Promise<T | undefined>): Promise<T | undefined> {
    const source = this.#sources.get(sync.peer);
    if (source === undefined) return undefined;
    source.underWay++;
    try {
      const result = await request();
      if (result === undefined) this.#rest(source);
      return result;
    } catch (error) {
      this.#failed(source, error);
      return undefined;
    } finally {
      source.underWay--;
    }
  }

  /** Must be called when what a peer sent has been checked and was of use. */
  delivered(sync: SyncPeer): void {
    const source = this.#sources.get(sync.peer);
    if (source === undefined) return;
    source.failures = 0;
    source.hasDelivered = true;
    this.#remembered.delete(originOf(sync.peer));
  }

  #usable(height: number | undefined, hasBlocks: boolean): Source[] {
    const now = this.#options.clock.monotonic();
    return [...this.#sources.values()].filter((source) => {
      const { peer } = source.sync;
      const { headersFrom, blocksFrom } = peer.hello.holdings;
      const from = hasBlocks ? Math.max(headersFrom, blocksFrom) : headersFrom;
      const hasIt = height === undefined || (peer.claimedHeight >= height && from <= height);
      return hasIt && isFree(source, now);
    });
  }

  #failed(source: Source, error: unknown): void {
    const { peer } = source.sync;
    const { log, clock } = this.#options;
    log.info({ peer: peer.id, reason: messageOf(error) }, 'sync asks another peer');
    if (error instanceof PeerFault) {
      source.failures++;
      source.restsUntilMillis = clock.monotonic() + LIAR_MILLIS;
      peer.reject(error);
      return;
    }
    source.sync.close();
    this.#rest(source);
  }

  #rest(source: Source): void {
    const millis = Math.min(RETRY_MILLIS_MAX, RETRY_MILLIS * 2 ** source.failures);
    source.failures++;
    source.restsUntilMillis = this.#options.clock.monotonic() + millis;
    if (source.hasDelivered || source.failures < FAILURES_MAX) return;
    const { peer } = source.sync;
    this.#options.log.info({ peer: peer.id }, 'peer disconnected: it never shows what it claims');
    peer.disconnect();
  }
}

function isFree({ underWay, restsUntilMillis }: Source, nowMillis: number): boolean {
  return restsUntilMillis <= nowMillis && underWay < REQUESTS_PER_PEER_MAX;
}

function speedOf({ sync }: Source): number {
  return sync.bytesPerSecond ?? UNPROVEN_BYTES_PER_SECOND;
}
