/**
 * The relay's side of one peer: the channel, what the peer is known to have, and how much it is served.
 */
import { asError } from 'svc-base/pure';
import { RecentSet } from '../base/recent-set.ts';
import type { Peer } from '../peers/peer.ts';
import type { Serving } from '../peers/serving.ts';
import type { FrameChannel } from '../wire/frame-channel.ts';
import { PeerFault } from '../wire/peer-fault.ts';
import { DELIVERED_WEIGHT, type Standing } from './standing.ts';

const KNOWN_TRANSACTIONS_MAX = 16_384;
const KNOWN_BLOCKS_MAX = 2_048;
/** A peer that has this much unread gets no announcements. */
const QUEUED_BYTES_MAX = 1_048_576;
/** Submissions of one peer that are checked at the same time. */
const CHECKS_MAX = 32;
const DRAIN_MILLIS_MAX = 30_000;
/** An answer "absent" weighs so much less than silence: transactions are mined between announcement and request. */
const ABSENT_WEIGHT = 1 / 8;
/** At this balance of undelivered announcements the peer is penalised, and the balance starts again. */
const UNDELIVERED_MAX = 128;

export class RelayLink {
  readonly peer: Peer;
  readonly channel: FrameChannel;
  readonly knownTransactions: RecentSet = new RecentSet(KNOWN_TRANSACTIONS_MAX);
  readonly knownBlocks: RecentSet = new RecentSet(KNOWN_BLOCKS_MAX);
  /** The peer's budget; its turn is awaited before any lookup. */
  readonly serving: Serving;
  readonly #standing: Standing;
  #checks = 0;
  /** Undelivered announcements of this peer, less delivered ones. */
  #keptBack = 0;
  #onFreeCheck: (() => void) | undefined;

  constructor(peer: Peer, channel: FrameChannel, standing: Standing, serving: Serving) {
    this.peer = peer;
    this.channel = channel;
    this.serving = serving;
    this.#standing = standing;
  }

  /** Undelivered announcements of its origin, less delivered ones. */
  get unreliability(): number {
    return this.#standing.unreliability;
  }

  delivered(): void {
    this.#standing.delivered();
    this.#keptBack = Math.max(0, this.#keptBack - DELIVERED_WEIGHT);
  }

  /** Must be called when a peer that was asked later sent first: this one may be slow, which is no fault. */
  overtaken(): void {
    this.#standing.keptBack(1);
  }

  /** Must be called when the peer did not send what it had announced. */
  undelivered(isSilent: boolean): void {
    const weight = isSilent ? 1 : ABSENT_WEIGHT;
    this.#standing.keptBack(weight);
    this.#keptBack += weight;
    if (this.#keptBack < UNDELIVERED_MAX) return;
    this.#keptBack = UNDELIVERED_MAX / 2;
    this.peer.reject(new PeerFault('undelivered', 'announces what it does not deliver'));
  }

  get isSlow(): boolean {
    return this.channel.queuedBytes > QUEUED_BYTES_MAX;
  }

  /** Sends part of an answer, no faster than the peer reads; rejects if it has gone. */
  async serve(kind: number, payload: Uint8Array): Promise<void> {
    await this.serving.send(payload.length);
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
