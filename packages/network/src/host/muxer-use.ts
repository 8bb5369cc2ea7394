/**
 * How many frames of the muxer one connection may send, and how many all connections of one origin together. Honest
 * nodes send far fewer: a ping every half minute, half a dozen streams and one more every ten seconds, and a frame for
 * each message at most, with an allowance in return from nodes of earlier releases. What comes in several pieces costs
 * as much as several frames, since each piece is handled by itself.
 */
import { type Rate, TokenBucket } from 'svc-base/pure';

const RATES = {
  pings: { perSecond: 1, burst: 32 },
  /** Streams that the other side opens, whether it gets them or not. */
  streams: { perSecond: 16, burst: 256 },
  /** Frames of every kind, and pieces: an allowance costs no answer, so that it needs no limit of its own. */
  frames: { perSecond: 8_192, burst: 32_768 },
} as const satisfies Record<string, Rate>;

export type FrameKind = keyof typeof RATES;

export class MuxerUse {
  readonly #buckets: Readonly<Record<FrameKind, TokenBucket>>;

  /** `connections` is how many of them share this. */
  constructor(connections: number, nowMillis: number) {
    const bucket = ({ perSecond, burst }: Rate): TokenBucket =>
      new TokenBucket(
        { perSecond: connections * perSecond, burst: connections * burst },
        nowMillis,
      );
    this.#buckets = {
      pings: bucket(RATES.pings),
      streams: bucket(RATES.streams),
      frames: bucket(RATES.frames),
    };
  }

  /** Counts one; returns false if it is one too many. */
  count(kind: FrameKind, nowMillis: number): boolean {
    return this.#buckets[kind].trySpend(1, nowMillis);
  }
}
