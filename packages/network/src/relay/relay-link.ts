/**
 * The relay's side of one peer: the channel, what the peer is known to have, and how much it is served.
 */
import { asError } from 'svc-base/pure';
import { RecentSet } from '../base/recent-set.ts';
import type { Peer } from '../peers/peer.ts';
import type { FrameChannel } from '../wire/frame-channel.ts';
import { PeerFault } from '../wire/peer-fault.ts';

const KNOWN_TRANSACTIONS_MAX = 16_384;
const KNOWN_BLOCKS_MAX = 2_048;
/** A peer that has this much unread gets no announcements. */
const QUEUED_BYTES_MAX = 1_048_576;
/** Submissions of one peer that are checked at the same time. */
const CHECKS_MAX = 32;
const DRAIN_MILLIS_MAX = 30_000;
/** An answer that says "absent" weighs so much less than silence: things are mined between announcement and request. */
const ABSENT_WEIGHT = 1 / 8;
/** What was delivered makes up for so many times as much that was not. */
const DELIVERED_WEIGHT = 4;
/** At this much kept back the peer pays, and the account begins anew. */
const UNDELIVERED_MAX = 128;

export class RelayLink {
  readonly peer: Peer;
  readonly channel: FrameChannel;
  readonly knownTransactions: RecentSet = new RecentSet(KNOWN_TRANSACTIONS_MAX);
  readonly knownBlocks: RecentSet = new RecentSet(KNOWN_BLOCKS_MAX);
  readonly #allow: (bytes: number) => Promise<void>;
  #checks = 0;
  #unreliability = 0;
  #onFreeCheck: (() => void) | undefined;

  /** `allow` resolves when so many bytes may be sent to the peer. */
  constructor(peer: Peer, channel: FrameChannel, allow: (bytes: number) => Promise<void>) {
    this.peer = peer;
    this.channel = channel;
    this.#allow = allow;
  }

  /** How much of what the peer announced it kept back, less what it delivered. */
  get unreliability(): number {
    return this.#unreliability;
  }

  delivered(): void {
    this.#unreliability = Math.max(0, this.#unreliability - DELIVERED_WEIGHT);
  }

  /** Must be called when the peer did not send what it had announced. */
  undelivered(isSilent: boolean): void {
    this.#unreliability += isSilent ? 1 : ABSENT_WEIGHT;
    if (this.#unreliability < UNDELIVERED_MAX) return;
    this.#unreliability = UNDELIVERED_MAX / 2;
    this.peer.reject(new PeerFault('undelivered', 'announces what it does not deliver'));
  }

  get isSlow(): boolean {
    return this.channel.queuedBytes > QUEUED_BYTES_MAX;
  }

  /** Sends part of an answer, no faster than the peer reads and its budget allows. */
  async serve(kind: number, payload: Uint8Array): Promise<void> {
    await this.#allow(payload.length);
    this.channel.send(kind, payload);
    await this.channel.drained(DRAIN_MILLIS_MAX);
  }

  /**
   * Runs a check beside others. Returns a promise if the limit is reached; it resolves when another may
   * start.
   */
  check(submit: () => Promise<void>): Promise<void> | undefined {
    this.#checks++;
    submit()
      .catch((error: unknown) => {
        this.channel.abort(asError(error));
      })
      .finally(() => {
        this.#checks--;
        this.#onFreeCheck?.();
        this.#onFreeCheck = undefined;
      });
    if (this.#checks < CHECKS_MAX) return undefined;
    return new Promise((resolve) => {
      this.#onFreeCheck = resolve;
    });
  }
}
