/**
 * Which states peers offer. The one that most of them have counts, by where they come from: what no root commits is
 * believed because so many say the same.
 */
import type { Clock } from 'svc-base/pure';
import type { StateOffer } from '../application.ts';
import { originOf } from '../base/addresses.ts';
import type { SyncPeer } from './sync-peer.ts';
import type { SyncPeers } from './sync-peers.ts';

/** Peers are asked so often what they have. */
const ASK_MILLIS = 2_000;

export class StateOffers {
  readonly #sources: SyncPeers;
  readonly #clock: Clock;
  readonly #offers = new Map<SyncPeer, readonly StateOffer[]>();
  /** Manifests that were refused: who names them again is wrong again. */
  readonly #refused = new Set<string>();
  #askedAtMillis = Number.NEGATIVE_INFINITY;

  constructor(sources: SyncPeers, clock: Clock) {
    this.#sources = sources;
    this.#clock = clock;
  }

  /** How many peers have said what they offer. */
  get answers(): number {
    return this.#offers.size;
  }

  /** Asks all peers that are there if it is time; answers come when they come. */
  ask(): void {
    const now = this.#clock.monotonic();
    if (now < this.#askedAtMillis + ASK_MILLIS) return;
    this.#askedAtMillis = now;
    const there = new Set(this.#sources.list());
    for (const source of this.#offers.keys()) if (!there.has(source)) this.#offers.delete(source);
    for (const source of this.#sources.usable())
      void this.#sources
        .ask(source, () => source.states())
        .then((offers) => {
          if (offers !== undefined) this.#offers.set(source, offers);
        });
  }

  /** The state that most peers have, of several the newest. */
  best(): StateOffer | undefined {
    const votes = new Map<string, { offer: StateOffer; origins: Set<string> }>();
    for (const [source, offers] of this.#offers) {
      for (const offer of offers) {
        if (this.#refused.has(offer.manifestId)) continue;
        const name = `${offer.height}/${offer.manifestId}`;
        const counted = votes.get(name) ?? { offer, origins: new Set() };
        counted.origins.add(originOf(source.peer));
        votes.set(name, counted);
      }
    }
    const ranked = [...votes.values()].sort(
      (a, b) => b.origins.size - a.origins.size || b.offer.height - a.offer.height,
    );
    return ranked[0]?.offer;
  }

  /** The peers that have a state. */
  having({ height, manifestId }: StateOffer): SyncPeer[] {
    const isIt = (offer: StateOffer): boolean =>
      offer.height === height && offer.manifestId === manifestId;
    return [...this.#offers].filter(([, offers]) => offers.some(isIt)).map(([source]) => source);
  }

  refuse({ manifestId }: StateOffer): void {
    this.#refused.add(manifestId);
  }

  /** Must be called when a peer does not have what it offered. */
  withdraw(source: SyncPeer): void {
    this.#offers.delete(source);
  }
}
