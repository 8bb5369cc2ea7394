/**
 * Peers this node has heard of or spoken to: where they are, when they were last seen, and how they behaved.
 * Bounded as a whole and for each range of addresses, so that nobody fills it with addresses of their own.
 */
import { isPublic, rangeOf, type SocketAddress } from '../base/addresses.ts';

export interface KnownPeer {
  readonly id: string;
  readonly address: SocketAddress;
  /** Whether this node reached it there once. */
  readonly isProven: boolean;
  readonly lastSeenMillis: number;
  readonly lastTriedMillis: number;
  readonly failures: number;
  readonly score: number;
  readonly scoredAtMillis: number;
}

export interface PeerBookOptions {
  readonly sizeMax: number;
  readonly perRangeMax: number;
  readonly allowPrivateAddresses: boolean;
}

export const PEER_BOOK_OPTIONS: Omit<PeerBookOptions, 'allowPrivateAddresses'> = {
  sizeMax: 1_024,
  perRangeMax: 8,
};

/** Good and bad behaviour is half forgotten after this time. */
const SCORE_HALF_LIFE_MILLIS = 3_600_000;
const SCORE_MAX = 100;
const SCORE_MIN = -200;
const RETRY_MILLIS = 10_000;
const RETRY_MILLIS_MAX = 3_600_000;
const FAILURES_MAX = 12;

export class PeerBook {
  readonly #options: PeerBookOptions;
  readonly #now: () => number;
  readonly #peers = new Map<string, KnownPeer>();
  #isChanged = false;

  constructor(options: PeerBookOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
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
    if (this.#mayHold(peer.address)) this.#put(peer);
  }

  /** Adds a peer known by hearsay; returns whether it was added. Hearsay never changes a known peer. */
  hear(id: string, address: SocketAddress): boolean {
    if (this.#peers.has(id) || !this.#mayHold(address)) return false;
    const now = this.#now();
    this.#put({
      id,
      address,
      isProven: false,
      lastSeenMillis: now,
      lastTriedMillis: 0,
      failures: 0,
      score: 0,
      scoredAtMillis: now,
    });
    return this.#peers.has(id);
  }

  /** This node spoke to the peer; `isProven` if it reached it at that address. */
  seen(id: string, address: SocketAddress, isProven: boolean): void {
    if (!this.#mayHoldOwn(address)) return;
    this.hear(id, address);
    const known = this.#peers.get(id);
    if (known === undefined) return;
    const moved = isProven || !known.isProven ? address : known.address;
    this.#put({
      ...known,
      address: moved,
      isProven: isProven || known.isProven,
      lastSeenMillis: this.#now(),
      failures: isProven ? 0 : known.failures,
    });
  }

  tried(id: string): void {
    this.#change(id, () => ({ lastTriedMillis: this.#now() }));
  }

  failed(id: string): void {
    const known = this.#peers.get(id);
    if (known === undefined) return;
    if (known.failures + 1 < FAILURES_MAX) {
      this.#change(id, ({ failures }) => ({ failures: failures + 1 }));
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

  /** Peers to dial now, the most promising first. */
  candidates(): KnownPeer[] {
    const now = this.#now();
    return this.list()
      .filter((peer) => now >= peer.lastTriedMillis + retryMillis(peer.failures))
      .sort((a, b) => this.#promise(b) - this.#promise(a));
  }

  #promise(peer: KnownPeer): number {
    const days = (this.#now() - peer.lastSeenMillis) / 86_400_000;
    return this.#faded(peer) + (peer.isProven ? 20 : 0) - 10 * peer.failures - Math.min(50, days);
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

  #put(peer: KnownPeer): void {
    if (!this.#peers.has(peer.id) && this.#peers.size >= this.#options.sizeMax) this.#forgetOne();
    this.#peers.set(peer.id, peer);
    this.#isChanged = true;
  }

  /** Forgets one peer: those known by hearsay before those spoken to, the oldest first. */
  #forgetOne(): void {
    const [worst] = this.list().sort(
      (a, b) => Number(a.isProven) - Number(b.isProven) || a.lastSeenMillis - b.lastSeenMillis,
    );
    if (worst !== undefined) this.#peers.delete(worst.id);
  }
}

function retryMillis(failures: number): number {
  return Math.min(RETRY_MILLIS_MAX, RETRY_MILLIS * 2 ** failures);
}
