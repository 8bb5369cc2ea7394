/**
 * Keeps the node at the height of its peers: proven headers first, then bodies and blocks from several peers,
 * installed in order. One path serves from the genesis to the tip and from each cut to the next. There is
 * nothing to resume: what is installed is final, and the rest is asked for again.
 */

import { type Clock, type Log, messageOf, Signal } from 'svc-base/pure';
import type { NetworkApplication } from '../application.ts';

import type { Peers } from '../peers/peers.ts';
import { BodySync } from './body-sync.ts';
import { CutSlots } from './cut-slots.ts';
import { type CertificateSpacing, HeaderSync } from './header-sync.ts';
import { Installer } from './installer.ts';
import { ProgressMeter, type SyncProgress } from './progress.ts';
import { SetFetch } from './set-fetch.ts';
import { SyncPeers } from './sync-peers.ts';
import { UnprovenHeightBudget } from './unproven-heights.ts';
import { VerifiedHeaders } from './verified-headers.ts';

export interface SyncTiming {
  /** A peer that sends nothing for so long counts as silent. */
  readonly silenceMillisMax: number;
  /** The whole answer to a request must have come within this time. */
  readonly answerMillisMax: number;
  /** Bodies and blocks that hold up the next cut are asked of one more peer each time that this time has passed. */
  readonly impatienceMillis: number;
  /** Headers are asked of one more peer each time that this time has passed. */
  readonly hedgeMillis: number;
  /** How long a single new cut may be on its way by other means. */
  readonly followDelayMillis: number;
  /** How far apart the cuts of the network are meant to be. */
  readonly paceMillis: number;
  /** How long unproven claims count, for all of them together. */
  readonly doubtMillisMax: number;
  /**
   * What such a claim costs of that time at least: a starting validator waits until no peer has been ahead for a
   * second, so that the shortest visit of a liar delays it for that long.
   */
  readonly doubtVisitMillis: number;
}

export const SYNC_TIMING: SyncTiming = {
  silenceMillisMax: 5_000,
  answerMillisMax: 30_000,
  impatienceMillis: 3_000,
  hedgeMillis: 500,
  followDelayMillis: 0,
  paceMillis: 2_500,
  doubtMillisMax: 15_000,
  doubtVisitMillis: 1_000,
};

export interface SyncOptions {
  readonly application: NetworkApplication;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing: SyncTiming;
  /** Every cut is fetched with its own certificate if absent. */
  readonly spacing?: CertificateSpacing | undefined;
}

export interface SyncStop {
  readonly reason: 'update_required' | 'failed';
  readonly height: number;
  readonly error?: unknown;
}

const TICK_MILLIS = 250;
const MEASURE_MILLIS = 1_000;
const LOG_MILLIS = 10_000;
const UNKNOWN_SET_LOG_MILLIS = 60_000;
/**
 * A node that is closer than this to what it would fetch follows; it does not catch up. Cuts of a fast network count by
 * the time in which they come: a node that has them a second later than others is always several cuts behind.
 */
const FOLLOWING_CUTS = 2;
const FOLLOWING_MILLIS = 2_000;
const EVERY_CERTIFICATE: CertificateSpacing = { cuts: 1, waitMillisMax: 0 };
/** A tip that is older than this may be kept back by the peers; cuts come every few seconds. */
const STALE_MILLIS = 60_000;

export class Sync {
  /** Once a second while the node catches up, and once when it has. */
  readonly progressed = new Signal<SyncProgress>();
  /** Emitted with the height when the node has caught up with what was proven to it, whatever peers still claim. */
  readonly caughtUp = new Signal<number>();
  readonly stopped = new Signal<SyncStop>();
  readonly #options: SyncOptions;
  readonly #sources: SyncPeers;
  readonly #headers: VerifiedHeaders;
  readonly #slots: CutSlots;
  readonly #headerSync: HeaderSync;
  readonly #bodySync: BodySync;
  readonly #installer: Installer;
  readonly #doubt: UnprovenHeightBudget;
  /** The most cuts that may be between the tip and the peers while the node follows. */
  readonly #followingCuts: number;
  readonly #meter = new ProgressMeter();
  readonly #ends: (() => void)[] = [];
  #stop: SyncStop | undefined;
  #isClosed = false;
  #isTurning = false;
  #isCatchingUp = false;
  /** Whether a certificate has shown since the last time that the node was behind. */
  #wasBehind = false;
  #tipAtMillis: number;
  #measuredAtMillis = Number.NEGATIVE_INFINITY;
  #loggedAtMillis = Number.NEGATIVE_INFINITY;
  #unknownSetAtMillis = Number.NEGATIVE_INFINITY;
  #cancelTick: (() => void) | undefined;

  constructor(options: SyncOptions) {
    this.#options = options;
    const { application, peers, clock, log, timing, spacing = EVERY_CERTIFICATE } = options;
    this.#tipAtMillis = clock.monotonic();
    const { silenceMillisMax, answerMillisMax, impatienceMillis } = timing;
    const { hedgeMillis, followDelayMillis, paceMillis } = timing;
    const onChange = (): void => this.#turnSoon();
    const headers = new VerifiedHeaders(application, (height) => this.#warnOfUnknownSet(height));
    const slots = new CutSlots(application, headers);
    const sources = new SyncPeers({
      application,
      peers,
      clock,
      log,
      silenceMillisMax,
      answerMillisMax,
    });
    const shared = { application, headers, slots, sources, clock, onChange };
    this.#headers = headers;
    this.#slots = slots;
    this.#sources = sources;
    this.#headerSync = new HeaderSync({ ...shared, followDelayMillis, hedgeMillis, spacing });
    this.#followingCuts =
      Math.max(FOLLOWING_CUTS, Math.ceil(FOLLOWING_MILLIS / paceMillis)) + spacing.cuts - 1;
    this.#doubt = new UnprovenHeightBudget(timing.doubtMillisMax, timing.doubtVisitMillis);
    this.#bodySync = new BodySync({ ...shared, impatienceMillis });
    const setFetch = new SetFetch({ application, sources, clock, log });
    this.#installer = new Installer({
      ...shared,
      fetchSets: (cut) => setFetch.fetchFor(cut),
      onStop: (reason, height, error) => this.#stopAt({ reason, height, error }),
    });
  }

  /** The highest cut that a connected peer claims and a certificate shows; null without peers. */
  get bestPeerHeight(): number | null {
    const peers = this.#options.peers.list();
    if (peers.length === 0) return null;
    const claimed = Math.max(...peers.map((peer) => peer.claimedHeight));
    return Math.min(claimed, this.#headers.height);
  }

  /**
   * Whether the node has everything that is proven to exist. An unproven claim counts for a short time only: see
   * `UnprovenHeightBudget`.
   */
  get isSynced(): boolean {
    return this.#stop === undefined && this.#cutsAhead <= this.#followingCuts;
  }

  /**
   * Whether the node can judge announcements: it lacks no proven cuts. Unproven claims do not count here, or a false
   * claim would stop transactions and blocks on their way.
   */
  get isFollowing(): boolean {
    return this.#stop === undefined && this.#provenAhead <= this.#followingCuts;
  }

  /** Whether no cut came for so long that other peers may know more. */
  get isTipStale(): boolean {
    return this.#options.clock.monotonic() - this.#tipAtMillis > STALE_MILLIS;
  }

  /** Cuts that are being fetched or wait to be installed. */
  get queuedCuts(): number {
    return this.#slots.size;
  }

  start(): void {
    const { peers, application } = this.#options;
    this.#ends.push(
      peers.joined.on((peer) => {
        this.#sources.joined(peer);
        this.#turnSoon();
      }),
      peers.left.on((peer) => this.#sources.left(peer)),
      application.onCut(() => {
        this.#tipAtMillis = this.#options.clock.monotonic();
        this.#turnSoon();
      }),
    );
    this.#tick();
  }

  /** Resolves when the node has done what it was handed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const end of this.#ends) end();
    this.#cancelTick?.();
    await this.#installer.close();
  }

  /** Must be called when a peer claims a greater height than before. */
  claimed(): void {
    this.#turnSoon();
  }

  /** How many cuts there are above the tip, proven or still believed. */
  get #cutsAhead(): number {
    const claimed = this.#doubt.isLeft ? this.#sources.credibleHeight : 0;
    return Math.max(claimed, this.#headers.height) - this.#options.application.tip.height;
  }

  get #provenAhead(): number {
    return this.#headers.height - this.#options.application.tip.height;
  }

  #tick(): void {
    if (this.#isClosed) return;
    this.#weighDoubt();
    this.#measure();
    this.#turnSoon();
    this.#cancelTick = this.#options.clock.after(TICK_MILLIS, () => this.#tick());
  }

  /** Schedules one turn for everything that happens in one turn of the event loop. */
  #turnSoon(): void {
    if (this.#isTurning || this.#isClosed || this.#stop !== undefined) return;
    this.#isTurning = true;
    setImmediate(() => {
      this.#isTurning = false;
      if (this.#isClosed || this.#stop !== undefined) return;
      this.#headers.follow();
      this.#weighDoubt();
      this.#headerSync.turn();
      this.#bodySync.turn();
      this.#installer.turn();
    });
  }

  #weighDoubt(): void {
    const { application, clock } = this.#options;
    const { height } = application.tip;
    const isProven = this.#headers.height - height > this.#followingCuts;
    if (isProven) {
      this.#doubt.fill();
      this.#wasBehind = true;
    }
    const isClaimed = this.#sources.credibleHeight - height > this.#followingCuts;
    this.#doubt.pass(isClaimed && !isProven, clock.monotonic());
  }

  #measure(): void {
    const { application, clock, log } = this.#options;
    const now = clock.monotonic();
    if (now < this.#measuredAtMillis + MEASURE_MILLIS) return;
    this.#measuredAtMillis = now;
    const { height } = application.tip;
    if (this.#wasBehind && this.isFollowing) {
      this.#wasBehind = false;
      this.caughtUp.emit(height);
    }
    const target = height + Math.max(0, this.#cutsAhead);
    const isBehind = target > height + this.#followingCuts;
    if (!isBehind && !this.#isCatchingUp) {
      this.#meter.reset();
      return;
    }
    this.#isCatchingUp = isBehind;
    const progress = this.#meter.measure(height, target, now);
    this.progressed.emit(progress);
    if (isBehind && now < this.#loggedAtMillis + LOG_MILLIS) return;
    this.#loggedAtMillis = now;
    const cutsPerSecond = Math.round(progress.cutsPerSecond);
    const { secondsLeft } = progress;
    log.info(
      { height, target, cutsPerSecond, secondsLeft },
      isBehind ? 'catching up with peers' : 'caught up with peers',
    );
  }

  /** A liar can send such a header too, so the node continues to ask others. */
  #warnOfUnknownSet(height: number): void {
    const { clock, log } = this.#options;
    const now = clock.monotonic();
    if (now < this.#unknownSetAtMillis + UNKNOWN_SET_LOG_MILLIS) return;
    this.#unknownSetAtMillis = now;
    log.error(
      { height },
      'a peer shows this cut under validators that the chain did not name: if the network continued with a recovery, this node has none configured for the cut before; compare the recovery file with others and name it in the setting `recovery`',
    );
  }

  #stopAt(stop: SyncStop): void {
    this.#stop = stop;
    const { height, reason, error } = stop;
    if (reason === 'update_required')
      this.#options.log.error(
        { height },
        'update_required: the network follows rules this release does not know',
      );
    else
      this.#options.log.error(
        { height, reason: messageOf(error) },
        'a final cut cannot be installed',
      );
    this.stopped.emit(stop);
  }
}
