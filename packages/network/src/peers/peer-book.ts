/**
 * Known peers: their addresses, when they were last seen, and how they behaved. Bounded as a whole, for each range of
 * addresses, and for each source of unverified peers, so that no source fills it with its own addresses. A peer that
 * this node has reached itself is never forgotten for failures, and never displaced by unverified ones unless it is
 * gone: not reached again and again while others were.
 */
import { isPublic, rangeOf, type SocketAddress } from '../base/addresses.ts';

export interface KnownPeer {
  readonly id: string;
  readonly address: SocketAddress;
  /** Whether this node reached it at this address once. */
  readonly isProven: boolean;
  readonly lastSeenMillis: number;
  readonly lastTriedMillis: number;
  /** In a row, up to `FAILURES_MAX`. */
  readonly failures: number;
  readonly score: number;
  readonly scoredAtMillis: number;
  /** The origin of the peer that announced it; null if it connected by itself. */
  readonly source: string | null;
  /** Whether this node was connected to it when it last stopped; such peers are dialled first. */
  readonly isAnchor: boolean;
}

export interface PeerBookOptions {
  readonly sizeMax: number;
  readonly perRangeMax: number;
  /** The most unverified peers of one source. */
  readonly perSourceMax: number;
  readonly allowPrivateAddresses: boolean;
}

export const PEER_BOOK_OPTIONS: Omit<PeerBookOptions, 'allowPrivateAddresses'> = {
  sizeMax: 1_024,
  perRangeMax: 8,
  perSourceMax: 64,
};

/** Good and bad behaviour is half forgotten after this time. */
const SCORE_HALF_LIFE_MILLIS = 3_600_000;
const SCORE_MAX = 100;
const SCORE_MIN = -200;
const RETRY_MILLIS = 10_000;
const RETRY_MILLIS_MAX = 3_600_000;
/** After so many failures in a row an unverified peer is forgotten, and a reached one counts as gone. */
const FAILURES_MAX = 12;
/**
 * Failures while no peer is reached point to this machine and not to the peer: they only delay the next attempt, for
 * minutes.
 */
const FAILURES_ALONE_MAX = 5;
/** At this score a peer is dialled only after all others. */
const POOR_SCORE = -20;

export class PeerBook {
  readonly #options: PeerBookOptions;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #peers = new Map<string, KnownPeer>();
  #isChanged = false;

  constructor(options: PeerBookOptions, now: () => number, random: () => number = Math.random) {
    this.#options = options;
    this.#now = now;
    this.#random = random;
  }

  get size(): number {
    return this.#peers.size;
  }

  /** Returns whether anything changed since the last call. */
  consumeChange(): boolean {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }

  get(id: string): KnownPeer | undefined {
    return this.#peers.get(id);
  }

  /** Whether this node has reached a peer at this address. */
  hasProvenHost(host: string): boolean {
    return this.list().some(({ address, isProven }) => isProven && address.host === host);
  }

  list(): KnownPeer[] {
    return [...this.#peers.values()];
  }

  /** Adds a peer that was read from the file. */
  restore(peer: KnownPeer): void {
    if (this.#mayHold(peer.address)) this.#add(peer);
  }

  /** Adds an unverified peer; returns whether it was added. It never changes a known peer. */
  hear(id: string, address: SocketAddress, source: string | null = null): boolean {
    if (this.#peers.has(id) || !this.#mayHoldOwn(address)) return false;
    if (source !== null && this.#countOf(source) >= this.#options.perSourceMax) return false;
    return this.#hasRoomIn(address, isGone) && this.#add(newPeer(id, address, source, this.#now()));
  }

  /** This node spoke to the peer; `isProven` if it reached it at that address. */
  seen(id: string, address: SocketAddress, isProven: boolean): void {
    if (!this.#mayHoldOwn(address)) return;
    const known = this.#peers.get(id);
    if (known === undefined) {
      if (!this.#hasRoomIn(address, isProven ? isForgettable : isGone)) return;
      this.#add({ ...newPeer(id, address, null, this.#now()), isProven });
      return;
    }
    this.#put({
      ...known,
      address: isProven || !known.isProven ? address : known.address,
      isProven: isProven || known.isProven,
      lastSeenMillis: this.#now(),
      failures: isProven ? 0 : known.failures,
    });
  }

  tried(id: string): void {
    this.#change(id, () => ({ lastTriedMillis: this.#now() }));
  }

  /** The peer was not reached. If no peer is, that points to this machine and not to the peer. */
  failed(id: string, areOthersReached: boolean): void {
    const known = this.#peers.get(id);
    if (known === undefined) return;
    const most = areOthersReached ? FAILURES_MAX : Math.max(known.failures, FAILURES_ALONE_MAX);
    const failures = Math.min(known.failures + 1, most);
    if (known.isProven || failures < FAILURES_MAX) {
      this.#put({ ...known, failures });
      return;
    }
    this.#peers.delete(id);
    this.#isChanged = true;
  }

  scoreOf(id: string): number {
    const known = this.#peers.get(id);
    return known === undefined ? 0 : this.#faded(known);
  }

  /** Takes over the score of a peer that was connected. */
  setScore(id: string, score: number): void {
    const bounded = Math.max(SCORE_MIN, Math.min(SCORE_MAX, score));
    this.#change(id, () => ({ score: bounded, scoredAtMillis: this.#now() }));
  }

  /** Marks the peers to dial first after a restart. */
  setAnchors(ids: ReadonlySet<string>): void {
    for (const { id, isAnchor } of this.list())
      if (isAnchor !== ids.has(id)) this.#change(id, () => ({ isAnchor: ids.has(id) }));
  }

  /**
   * Peers to dial now: anchors, then in turn one that this node has reached before and one unverified, each chosen at
   * random, so that the choice cannot be predicted or bought. Badly behaved peers come after all these, and gone ones
   * last.
   */
  candidates(): KnownPeer[] {
    const now = this.#now();
    const due = this.list().filter((peer) => {
      // A clock that was set back must not keep peers from being dialled.
      const since = Math.abs(now - peer.lastTriedMillis);
      return since >= retryMillis(peer.failures);
    });
    const there = due.filter((peer) => !isGone(peer));
    const anchors = there.filter(({ isAnchor }) => isAnchor);
    const rest = this.#shuffled(there.filter(({ isAnchor }) => !isAnchor));
    const good = rest.filter((peer) => this.#faded(peer) > POOR_SCORE);
    const proven = good.filter(({ isProven }) => isProven);
    const heard = good.filter(({ isProven }) => !isProven);
    const mixed = Array.from({ length: Math.max(proven.length, heard.length) }, (_, at) => [
      proven[at],
      heard[at],
    ]);
    const poor = rest.filter((peer) => this.#faded(peer) <= POOR_SCORE);
    const gone = this.#shuffled(due.filter(isGone));
    return [...anchors, ...mixed.flat().filter((peer) => peer !== undefined), ...poor, ...gone];
  }

  #shuffled(peers: readonly KnownPeer[]): KnownPeer[] {
    return peers
      .map((peer) => ({ peer, order: this.#random() }))
      .sort((a, b) => a.order - b.order)
      .map(({ peer }) => peer);
  }

  #countOf(source: string): number {
    return this.list().filter((peer) => !peer.isProven && peer.source === source).length;
  }

  /** Whether the range of an address has room, after one peer that may go was forgotten for it if need be. */
  #hasRoomIn(address: SocketAddress, mayGo: (peer: KnownPeer) => boolean): boolean {
    if (this.#mayHold(address)) return true;
    const range = rangeOf(address.host);
    const found = this.list().find((peer) => mayGo(peer) && rangeOf(peer.address.host) === range);
    if (found !== undefined) this.#peers.delete(found.id);
    return found !== undefined;
  }

  #faded({ score, scoredAtMillis }: KnownPeer): number {
    const elapsed = Math.max(0, this.#now() - scoredAtMillis);
    return score * 0.5 ** (elapsed / SCORE_HALF_LIFE_MILLIS);
  }

  #mayHoldOwn({ host, port }: SocketAddress): boolean {
    if (port < 1 || port > 0xffff) return false;
    return this.#options.allowPrivateAddresses || isPublic(host);
  }

  #mayHold(address: SocketAddress): boolean {
    if (!this.#mayHoldOwn(address)) return false;
    if (this.#options.allowPrivateAddresses && !isPublic(address.host)) return true;
    const range = rangeOf(address.host);
    const found = this.list().filter((peer) => rangeOf(peer.address.host) === range).length;
    return found < this.#options.perRangeMax;
  }

  #change(id: string, change: (known: KnownPeer) => Partial<KnownPeer>): void {
    const known = this.#peers.get(id);
    if (known !== undefined) this.#put({ ...known, ...change(known) });
  }

  /** Returns whether there was a slot for the peer; reached peers are not displaced by unverified ones. */
  #add(peer: KnownPeer): boolean {
    if (this.#peers.size >= this.#options.sizeMax) {
      const worst = this.#leastMissed(peer.isProven);
      if (worst === undefined) return false;
      this.#peers.delete(worst.id);
    }
    this.#put(peer);
    return true;
  }

  #put(peer: KnownPeer): void {
    this.#peers.set(peer.id, peer);
    this.#isChanged = true;
  }

  /**
   * The oldest of the source with the most entries, gone peers counting as one source; else the oldest of all, for a
   * proven one.
   */
  #leastMissed(isForProven: boolean): KnownPeer | undefined {
    const heard = this.list().filter(({ isProven }) => !isProven);
    const groups = [...Map.groupBy(heard, ({ source }) => source).values()];
    groups.push(this.list().filter(isGone));
    const largest = groups.reduce<KnownPeer[]>((a, b) => (b.length > a.length ? b : a), []);
    const choice = largest.length > 0 ? largest : isForProven ? this.list() : [];
    return choice.sort((a, b) => a.lastSeenMillis - b.lastSeenMillis)[0];
  }
}

function newPeer(
  id: string,
  address: SocketAddress,
  source: string | null,
  nowMillis: number,
): KnownPeer {
  return {
    id,
    address,
    isProven: false,
    lastSeenMillis: nowMillis,
    lastTriedMillis: 0,
    failures: 0,
    score: 0,
    scoredAtMillis: nowMillis,
    source,
    isAnchor: false,
  };
}

/** Whether the peer was reached once and then not for long. */
function isGone({ isProven, failures }: KnownPeer): boolean {
  return isProven && failures >= FAILURES_MAX;
}

/** Whether the peer may make room for one that this node has reached. */
function isForgettable(peer: KnownPeer): boolean {
  return !peer.isProven || isGone(peer);
}

function retryMillis(failures: number): number {
  return Math.min(RETRY_MILLIS_MAX, RETRY_MILLIS * 2 ** failures);
}
