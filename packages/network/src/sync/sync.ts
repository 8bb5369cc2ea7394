/**
 * Keeps the node at the height of its peers: proven headers first, then bodies and blocks from several peers,
 * installed in order. The same way leads from the genesis to the tip and from each cut to the next. There is
 * nothing to resume: what is installed is final, and the rest is asked for again.
 */

import { type Clock, type Log, messageOf, Signal } from 'svc-base/pure';
import type { NetworkApplication } from '../application.ts';

import type { Peers } from '../peers/peers.ts';
import { BodySync } from './body-sync.ts';
import { CutSlots } from './cut-slots.ts';
import { HeaderSync } from './header-sync.ts';
import { Installer } from './installer.ts';
import { ProgressMeter, type SyncProgress } from './progress.ts';
import { SyncPeers } from './sync-peers.ts';
import { VerifiedHeaders } from './verified-headers.ts';

export interface SyncTiming {
  readonly silenceMillisMax: number;
  readonly impatienceMillis: number;
  readonly followDelayMillis: number;
}

export const SYNC_TIMING: SyncTiming = {
  silenceMillisMax: 10_000,
  impatienceMillis: 3_000,
  followDelayMillis: 0,
};

export interface SyncOptions {
  readonly application: NetworkApplication;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing: SyncTiming;
}

export interface SyncStop {
  readonly reason: 'update_required' | 'failed';
  readonly height: number;
  readonly error?: unknown;
}

const TICK_MILLIS = 250;
const MEASURE_MILLIS = 1_000;
const LOG_MILLIS = 10_000;
/** A node that is closer than this follows; it does not catch up. */
const FOLLOWING_CUTS = 2;

export class Sync {
  /** Once a second while the node catches up, and once when it has. */
  readonly progressed = new Signal<SyncProgress>();
  /** Emitted with the height when the node has caught up. */
  readonly caughtUp = new Signal<number>();
  readonly stopped = new Signal<SyncStop>();
  readonly #options: SyncOptions;
  readonly #sources: SyncPeers;
  readonly #headers: VerifiedHeaders;
  readonly #slots: CutSlots;
  readonly #headerSync: HeaderSync;
  readonly #bodySync: BodySync;
  readonly #installer: Installer;
  readonly #meter = new ProgressMeter();
  readonly #ends: (() => void)[] = [];
  #stop: SyncStop | undefined;
  #isClosed = false;
  #isTurning = false;
  #isCatchingUp = false;
  #measuredAtMillis = 0;
  #loggedAtMillis = 0;
  #cancelTick: (() => void) | undefined;

  constructor(options: SyncOptions) {
    this.#options = options;
    const { application, peers, clock, log, timing } = options;
    const { silenceMillisMax, impatienceMillis, followDelayMillis } = timing;
    const onChange = (): void => this.#turnSoon();
    const headers = new VerifiedHeaders(application);
    const slots = new CutSlots(application, headers);
    const sources = new SyncPeers({ application, peers, clock, log, silenceMillisMax });
    const shared = { application, headers, slots, sources, clock, onChange };
    this.#headers = headers;
    this.#slots = slots;
    this.#sources = sources;
    this.#headerSync = new HeaderSync({ ...shared, followDelayMillis });
    this.#bodySync = new BodySync({ ...shared, impatienceMillis });
    this.#installer = new Installer({
      ...shared,
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

  /** Whether no credible peer is ahead. */
  get isSynced(): boolean {
    const { height } = this.#options.application.tip;
    const ahead = Math.max(this.#sources.claimedHeight, this.#headers.height) - height;
    return this.#stop === undefined && ahead <= FOLLOWING_CUTS;
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
      application.onCut(() => this.#turnSoon()),
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

  #tick(): void {
    if (this.#isClosed) return;
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
      this.#headerSync.turn();
      this.#bodySync.turn();
      this.#installer.turn();
    });
  }

  #measure(): void {
    const { application, clock, log } = this.#options;
    const now = clock.now();
    if (now < this.#measuredAtMillis + MEASURE_MILLIS) return;
    this.#measuredAtMillis = now;
    const { height } = application.tip;
    const target = Math.max(height, this.#sources.claimedHeight, this.#headers.height);
    const isBehind = target > height + FOLLOWING_CUTS;
    if (!isBehind && !this.#isCatchingUp) {
      this.#meter.reset();
      return;
    }
    this.#isCatchingUp = isBehind;
    const progress = this.#meter.measure(height, target, now);
    this.progressed.emit(progress);
    if (!isBehind) this.caughtUp.emit(height);
    if (isBehind && now < this.#loggedAtMillis + LOG_MILLIS) return;
    this.#loggedAtMillis = now;
    const cutsPerSecond = Math.round(progress.cutsPerSecond);
    const { secondsLeft } = progress;
    log.info(
      { height, target, cutsPerSecond, secondsLeft },
      isBehind ? 'catching up with peers' : 'caught up with peers',
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
