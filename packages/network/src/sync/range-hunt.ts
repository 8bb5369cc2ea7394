/**
 * The missing ranges of a state: which peer is asked for which, which was asked in vain, and when the last one came.
 * It sends no requests itself.
 */
import type { StateOffer } from '../application.ts';
import type { SyncPeer } from './sync-peer.ts';

/** The most peers that are asked for one range at once. */
const ASKED_MAX = 3;
/** A peer that lacks a range is not asked for it again before this. */
const LACK_MILLIS = 120_000;
/**
 * The same after silence or a broken stream; short enough that a moment without a connection does not make a
 * state look lost.
 */
const FAILED_MILLIS = 20_000;
/** A state that no peer has had for so long is abandoned if there is another. */
const LOST_MILLIS = 60_000;
/** So is a state of which no range has come for so long, whichever peers claim to have it. */
const STALLED_MILLIS = 300_000;

interface Asked {
  readonly of: Set<SyncPeer>;
  sinceMillis: number;
}

/** A range, and who can be asked for it. */
export interface WantedRange {
  readonly index: number;
  readonly from: ReadonlySet<SyncPeer>;
}

export class RangeHunt {
  readonly offer: StateOffer;
  /** All of them, with those that are here. */
  readonly ranges: number;
  /** What went wrong at this node. */
  failure: { readonly error: unknown } | undefined;
  readonly #missing: Set<number>;
  readonly #asked = new Map<number, Asked>();
  /** By peer, the ranges that it did not show, and until when that counts. */
  readonly #lacking = new WeakMap<SyncPeer, Map<number, number>>();
  #provenAtMillis: number;
  #seenAtMillis: number;
  /** Since when another state has been available without a break. */
  #otherSinceMillis: number | undefined;

  constructor(offer: StateOffer, ranges: number, missing: readonly number[], nowMillis: number) {
    this.offer = offer;
    this.ranges = ranges;
    this.#missing = new Set(missing);
    this.#provenAtMillis = nowMillis;
    this.#seenAtMillis = nowMillis;
  }

  get left(): number {
    return this.#missing.size;
  }

  isMissing(index: number): boolean {
    return this.#missing.has(index);
  }

  /** Whether a peer may have something that is missing. */
  canHelp(source: SyncPeer, nowMillis: number): boolean {
    return this.#missing.values().some((index) => !this.#lacks(source, index, nowMillis));
  }

  /**
   * Whether to switch to another state, if there is one: no peer has had the missing ranges for a while, or none of
   * them has come for longer. Both count from when there was another, so that the peers with this one can come back
   * first.
   */
  isHopeless(
    nowMillis: number,
    { helpers, hasOther }: { readonly helpers: number; readonly hasOther: boolean },
  ): boolean {
    if (helpers > 0 || this.#asked.size > 0) this.#seenAtMillis = nowMillis;
    this.#otherSinceMillis = hasOther ? (this.#otherSinceMillis ?? nowMillis) : undefined;
    const since = this.#otherSinceMillis;
    if (since === undefined) return false;
    const hasPassed = (millis: number, sinceMillis: number): boolean =>
      nowMillis > Math.max(since, sinceMillis) + millis;
    return (
      hasPassed(LOST_MILLIS, this.#seenAtMillis) || hasPassed(STALLED_MILLIS, this.#provenAtMillis)
    );
  }

  /** A range that is not requested yet, or else a late one, and which of these peers can be asked for it. */
  next(
    free: readonly SyncPeer[],
    nowMillis: number,
    impatienceMillis: number,
  ): WantedRange | undefined {
    if (free.length === 0) return undefined;
    const isLate = ({ of, sinceMillis }: Asked): boolean =>
      of.size < ASKED_MAX && sinceMillis + impatienceMillis <= nowMillis;
    let late: WantedRange | undefined;
    for (const index of this.#missing) {
      const asked = this.#asked.get(index);
      if (asked !== undefined && (late !== undefined || !isLate(asked))) continue;
      const from = free.filter(
        (one) => asked?.of.has(one) !== true && !this.#lacks(one, index, nowMillis),
      );
      if (from.length === 0) continue;
      const wanted = { index, from: new Set(from) };
      if (asked === undefined) return wanted;
      late = wanted;
    }
    return late;
  }

  began(index: number, source: SyncPeer, nowMillis: number): void {
    const asked = this.#asked.get(index) ?? { of: new Set(), sinceMillis: nowMillis };
    asked.of.add(source);
    asked.sinceMillis = nowMillis;
    this.#asked.set(index, asked);
  }

  ended(index: number, source: SyncPeer): void {
    const asked = this.#asked.get(index);
    asked?.of.delete(source);
    if (asked?.of.size === 0) this.#asked.delete(index);
  }

  proven(index: number, nowMillis: number): void {
    this.#missing.delete(index);
    this.#provenAtMillis = nowMillis;
  }

  /** Must be called when a peer has said that it does not have a range. */
  lacked(index: number, source: SyncPeer, nowMillis: number): void {
    this.#lackUntil(index, source, nowMillis + LACK_MILLIS);
  }

  /** Must be called when a peer was asked for a range and no answer came. */
  failed(index: number, source: SyncPeer, nowMillis: number): void {
    if (!this.#lacks(source, index, nowMillis + FAILED_MILLIS))
      this.#lackUntil(index, source, nowMillis + FAILED_MILLIS);
  }

  #lackUntil(index: number, source: SyncPeer, untilMillis: number): void {
    const lacking = this.#lacking.get(source) ?? new Map<number, number>();
    lacking.set(index, untilMillis);
    this.#lacking.set(source, lacking);
  }

  #lacks(source: SyncPeer, index: number, nowMillis: number): boolean {
    return (this.#lacking.get(source)?.get(index) ?? Number.NEGATIVE_INFINITY) > nowMillis;
  }
}
