/**
 * Which states peers offer, and which of them to fetch: data that no root commits is believed by majority. Votes are
 * counted by origin. Dialled peers come first, since any host can dial a node. A state that no peer could deliver is
 * set aside for some minutes together with the peers that named it, so that a crowd of liars does not keep a node
 * from the next one; it is tried again when there is nothing else.
 */
import type { Clock } from 'svc-base/pure';
import type { StateOffer } from '../application.ts';
import { originOf } from '../base/addresses.ts';
import type { SyncPeer } from './sync-peer.ts';
import type { SyncPeers } from './sync-peers.ts';

/** Interval between queries to peers about their states. */
const ASK_MILLIS = 2_000;
const ASIDE_MILLIS = 300_000;
/** The most states, and the most origins, that are set aside at a time. */
const ASIDE_MAX = 1_024;

export interface RankedOffer {
  readonly offer: StateOffer;
  /** How many origins name it that this node dialled. */
  readonly dialled: number;
  /** Whether it, or every peer that names it, has failed lately. */
  readonly isAside: boolean;
}

interface Votes {
  readonly offer: StateOffer;
  readonly dialled: Set<string>;
  readonly origins: Set<string>;
  /** Until when it is set aside, and until when all peers that name it are; 0 for past times. */
  asideUntil: number;
  namedAsideUntil: number;
}

export class StateOffers {
  readonly #sources: Pick<SyncPeers, 'list' | 'usable' | 'ask'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #offers = new Map<SyncPeer, readonly StateOffer[]>();
  /** Refused manifests: a peer that names one of them is wrong again. */
  readonly #refused = new Set<string>();
  /** Names of states, and origins, with the time until which they are set aside; the oldest first. */
  readonly #aside = new Map<string, number>();
  readonly #originsAside = new Map<string, number>();
  #askedAtMillis = Number.NEGATIVE_INFINITY;

  constructor(
    sources: Pick<SyncPeers, 'list' | 'usable' | 'ask'>,
    clock: Pick<Clock, 'monotonic'>,
  ) {
    this.#sources = sources;
    this.#clock = clock;
  }

  /** How many peers that this node dialled have said what they offer. */
  get dialledAnswers(): number {
    return [...this.#offers.keys()].filter(isDialled).length;
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

  /**
   * The state to fetch: one that was not set aside before one that was, then by how many dialled origins name it, by how many
   * origins do, and the newest.
   */
  best(except?: StateOffer): RankedOffer | undefined {
    const ranked = [...this.#votes().values()]
      .filter(({ offer }) => except === undefined || nameOf(offer) !== nameOf(except))
      .sort(
        (a, b) =>
          a.asideUntil - b.asideUntil ||
          a.namedAsideUntil - b.namedAsideUntil ||
          b.dialled.size - a.dialled.size ||
          b.origins.size - a.origins.size ||
          b.offer.height - a.offer.height,
      );
    const [first] = ranked;
    if (first === undefined) return undefined;
    const { offer, dialled, asideUntil, namedAsideUntil } = first;
    return { offer, dialled: dialled.size, isAside: asideUntil > 0 || namedAsideUntil > 0 };
  }

  /** The peers that name a state; those that have not failed lately first, and of them those that this node dialled. */
  having(offer: StateOffer): SyncPeer[] {
    const name = nameOf(offer);
    const order = (source: SyncPeer): number =>
      (this.#originAsideUntil(source) > 0 ? 2 : 0) + (isDialled(source) ? 0 : 1);
    return [...this.#offers]
      .filter(([, offers]) => offers.some((one) => nameOf(one) === name))
      .map(([source]) => source)
      .sort((a, b) => order(a) - order(b));
  }

  refuse({ manifestId }: StateOffer): void {
    this.#refused.add(manifestId);
  }

  /** Must be called for a state that no peer could deliver, or that does not arrive any more. */
  setAside(offer: StateOffer): void {
    putAside(this.#aside, nameOf(offer), this.#clock.monotonic() + ASIDE_MILLIS);
  }

  /**
   * Must be called for a state that does not arrive when another is fetched instead. Peers that name it may be
   * honest: nodes drop states of old cuts.
   */
  giveUp(offer: StateOffer, other: StateOffer): void {
    this.setAside(offer);
    const naming = new Set(this.having(other));
    for (const source of this.having(offer)) if (!naming.has(source)) this.setSourceAside(source);
  }

  /** Must be called for a peer that did not show what it named; its origin keeps this when it comes back. */
  setSourceAside({ peer }: SyncPeer): void {
    putAside(this.#originsAside, originOf(peer), this.#clock.monotonic() + ASIDE_MILLIS);
  }

  /** Votes of peers without a recent failure count; those of others only if there are no such peers. */
  #votes(): Map<string, Votes> {
    const votes = new Map<string, Votes>();
    for (const [source, offers] of this.#offers) {
      for (const offer of offers) {
        if (this.#refused.has(offer.manifestId)) continue;
        const namedAsideUntil = this.#originAsideUntil(source);
        const name = nameOf(offer);
        const counted = votes.get(name);
        if (counted === undefined || counted.namedAsideUntil > namedAsideUntil)
          votes.set(name, this.#firstVote(offer, source, namedAsideUntil));
        else if (counted.namedAsideUntil === namedAsideUntil) addVote(counted, source);
      }
    }
    return votes;
  }

  #firstVote(offer: StateOffer, source: SyncPeer, namedAsideUntil: number): Votes {
    const asideUntil = this.#left(this.#aside.get(nameOf(offer)));
    const votes = { offer, dialled: new Set<string>(), origins: new Set<string>() };
    const first = { ...votes, asideUntil, namedAsideUntil };
    addVote(first, source);
    return first;
  }

  #originAsideUntil({ peer }: SyncPeer): number {
    return this.#left(this.#originsAside.get(originOf(peer)));
  }

  /** 0 for a time that is over. */
  #left(untilMillis = 0): number {
    return untilMillis > this.#clock.monotonic() ? untilMillis : 0;
  }
}

function nameOf({ height, manifestId }: StateOffer): string {
  return `${height}/${manifestId}`;
}

function isDialled({ peer }: SyncPeer): boolean {
  return peer.direction === 'outbound';
}

function addVote({ dialled, origins }: Votes, source: SyncPeer): void {
  const origin = originOf(source.peer);
  origins.add(origin);
  if (isDialled(source)) dialled.add(origin);
}

function putAside(aside: Map<string, number>, name: string, untilMillis: number): void {
  aside.delete(name);
  const [oldest] = aside.keys();
  if (aside.size >= ASIDE_MAX && oldest !== undefined) aside.delete(oldest);
  aside.set(name, untilMillis);
}
