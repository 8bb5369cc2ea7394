/**
 * Tracks what peers have announced and this node lacks. Each entry is requested from one peer, and from one more for
 * as long as no answer comes; silence, absence or a bad copy moves the request to the next. Origins take turns, so
 * that many peers of one range count as one, and the most reliable comes first within its turn. Every peer has a
 * quota for what it announced first, so that no peer uses up the quota of another, and no source is rejected for
 * another. Every entry is in the quota of a connected peer: an entry that only a departed peer announced is dropped,
 * and the rest moves to other announcers, so that reconnecting brings no further quota.
 */
import { originOf } from '../base/addresses.ts';
import type { Peer } from '../peers/peer.ts';

export interface RequestTrackerOptions {
  /** The most wanted entries that one peer may have announced. */
  readonly announcedPerPeerMax: number;
  /** Requests under way with one peer. */
  readonly perPeerMax: number;
  readonly perRequestMax: number;
  readonly timeoutMillis: number;
  /** Calls of `expire` without an answer after which one more peer is asked; `LOOKS_BEFORE_MORE` if absent. */
  readonly looksBeforeMore?: number;
  readonly now: () => number;
  readonly ask: (peer: Peer, ids: readonly string[]) => void;
  /** How many announcements a peer has not delivered; peers with few are asked first. */
  readonly unreliability?: (peer: Peer) => number;
  /** Called when a peer did not send what it had announced; `isSilent` if it said nothing at all. */
  readonly onUndelivered?: (peer: Peer, isSilent: boolean) => void;
  /** Called when a peer that was asked later has sent the thing first. */
  readonly onOvertaken?: (peer: Peer) => void;
  /** Called when no peer is left to ask, or to hold the entry in its quota. */
  readonly onGivenUp?: (id: string) => void;
}

/** How announced entries are requested, if not by the relay's own rule. */
export type RequestTrackerOptionsChange = (options: RequestTrackerOptions) => RequestTrackerOptions;

/** Time while this process is stalled does not count. */
const LOOKS_BEFORE_MORE = 6;
/** Entries that one pump looks at; those whose peers are all busy go to the end of the queue. */
const LOOKS_MAX = 512;

interface Entry {
  /**
   * The peer whose quota has the entry until it is settled: the first announcer, or the next one if that one left.
   */
  holder: Peer;
  /** Peers that announced the thing and were not asked yet. */
  readonly sources: Peer[];
  /** In the order in which they were made. */
  readonly requests: Request[];
  /** How many peers of each origin were asked. */
  readonly tries: Map<string, number>;
  /** Calls of `expire` since the last request or part of an answer. */
  looks: number;
}

interface Request {
  readonly peer: Peer;
  deadlineMillis: number;
  /** Whether the answer came and is being checked. */
  hasArrived: boolean;
}

export class RequestTracker {
  readonly #options: RequestTrackerOptions;
  readonly #entries = new Map<string, Entry>();
  /** How many requests are under way with each peer. */
  readonly #underWay = new Map<Peer, number>();
  /** How many entries each peer has in its quota. */
  readonly #announced = new Map<Peer, number>();
  /** Ids for which another peer is to be asked. */
  readonly #waiting = new Set<string>();

  constructor(options: RequestTrackerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /** Whether this peer is being asked for the thing and has not sent it yet. */
  isAskedOf(id: string, peer: Peer): boolean {
    const request = this.#requestOf(id, peer);
    return request !== undefined && !request.hasArrived;
  }

  /** Adds a thing that a peer announced; the next `pump` asks for it. What exceeds the peer's quota is ignored. */
  add(id: string, peer: Peer): void {
    const entry = this.#entries.get(id);
    if (entry?.sources.includes(peer) || this.#requestOf(id, peer) !== undefined) return;
    if (entry !== undefined) {
      entry.sources.push(peer);
      return;
    }
    if (!this.#hasRoom(peer)) return;
    this.#entries.set(id, {
      ...{ holder: peer, sources: [peer], requests: [] },
      ...{ tries: new Map<string, number>(), looks: 0 },
    });
    this.#waiting.add(id);
    increase(this.#announced, peer);
  }

  /** Forgets a thing that was taken, from a peer where one sent it, or that is not wanted any more. */
  settle(id: string, from?: Peer): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    decrease(this.#announced, entry.holder);
    const sentAt = entry.requests.findIndex(({ peer }) => peer === from);
    for (const [at, { peer, hasArrived }] of entry.requests.entries()) {
      decrease(this.#underWay, peer);
      if (at < sentAt && !hasArrived) this.#options.onOvertaken?.(peer);
    }
    this.#waiting.delete(id);
    this.#entries.delete(id);
  }

  /** The answer came: the thing stays wanted until it is settled, or is asked of others if it was a bad copy. */
  arrived(id: string, peer: Peer): void {
    const request = this.#requestOf(id, peer);
    if (request !== undefined) request.hasArrived = true;
  }

  /** The peer that was asked does not have it, or sent something else. */
  absent(id: string, peer: Peer): void {
    const entry = this.#entries.get(id);
    const request = this.#requestOf(id, peer);
    if (entry === undefined || request === undefined) return;
    this.#release(entry, request);
    this.#waiting.add(id);
    // Must come last, since the peer may be disconnected by it.
    if (!request.hasArrived) this.#options.onUndelivered?.(peer, false);
  }

  /** Restarts the timeout of an answer, because part of it arrived. */
  extend(id: string, peer: Peer): void {
    const entry = this.#entries.get(id);
    const request = this.#requestOf(id, peer);
    if (entry === undefined || request === undefined) return;
    request.deadlineMillis = this.#options.now() + this.#options.timeoutMillis;
    entry.looks = 0;
  }

  /** Drops entries that only this peer announced, and moves the rest out of its quota. */
  peerLeft(peer: Peer): void {
    for (const [id, entry] of this.#entries) {
      const at = entry.sources.indexOf(peer);
      if (at !== -1) entry.sources.splice(at, 1);
      const request = this.#requestOf(id, peer);
      if (request !== undefined) {
        this.#release(entry, request);
        this.#waiting.add(id);
      }
      if (entry.holder === peer) this.#handOver(id, entry);
    }
  }

  /** Drops requests whose time is over, and asks one more peer where no answer comes; to be called at intervals. */
  expire(): void {
    const { looksBeforeMore = LOOKS_BEFORE_MORE } = this.#options;
    const now = this.#options.now();
    for (const [id, entry] of this.#entries) {
      const { requests } = entry;
      if (requests.length === 0) continue;
      const over = requests.filter((one) => isOver(one, now));
      for (const request of over) this.#release(entry, request);
      entry.looks = over.length > 0 ? looksBeforeMore : entry.looks + 1;
      if (entry.looks >= looksBeforeMore) this.#waiting.add(id);
      // Must come last, since peers may be disconnected by it.
      for (const { peer } of over) this.#options.onUndelivered?.(peer, true);
    }
  }

  /** Sends the requests that can be sent now. */
  pump(): void {
    const batches = new Map<Peer, string[]>();
    let looks = Math.min(LOOKS_MAX, this.#waiting.size);
    for (const id of this.#waiting) {
      if (looks-- === 0) break;
      const entry = this.#entries.get(id) as Entry;
      const { sources, requests } = entry;
      if (sources.length === 0 && requests.length === 0) {
        this.#giveUp(id);
        continue;
      }
      this.#waiting.delete(id);
      if (sources.length === 0 || requests.some(({ hasArrived }) => hasArrived)) continue;
      const peer = this.#nextSource(entry);
      if (peer === undefined) {
        this.#waiting.add(id);
        continue;
      }
      this.#ask(entry, peer);
      const batch = batches.get(peer);
      if (batch === undefined) batches.set(peer, [id]);
      else batch.push(id);
    }
    const { perRequestMax } = this.#options;
    for (const [peer, ids] of batches)
      for (let at = 0; at < ids.length; at += perRequestMax)
        this.#options.ask(peer, ids.slice(at, at + perRequestMax));
  }

  /** Moves an entry whose holder left into the quota of another announcer; it is dropped if none has space. */
  #handOver(id: string, entry: Entry): void {
    const others = [...entry.sources, ...entry.requests.map(({ peer }) => peer)];
    const heir = others.find((other) => this.#hasRoom(other));
    if (heir === undefined) {
      this.#giveUp(id);
      return;
    }
    decrease(this.#announced, entry.holder);
    entry.holder = heir;
    increase(this.#announced, heir);
  }

  #hasRoom(peer: Peer): boolean {
    return (this.#announced.get(peer) ?? 0) < this.#options.announcedPerPeerMax;
  }

  #giveUp(id: string): void {
    this.settle(id);
    this.#options.onGivenUp?.(id);
  }

  /** Takes the source whose turn it is and that has room for a request out of the entry. */
  #nextSource(entry: Entry): Peer | undefined {
    let best: Peer | undefined;
    for (const peer of entry.sources) {
      if ((this.#underWay.get(peer) ?? 0) >= this.#options.perPeerMax) continue;
      if (best === undefined || this.#isBefore(entry, peer, best)) best = peer;
    }
    if (best === undefined) return undefined;
    entry.sources.splice(entry.sources.indexOf(best), 1);
    return best;
  }

  #isBefore({ tries }: Entry, a: Peer, b: Peer): boolean {
    const difference = (tries.get(originOf(a)) ?? 0) - (tries.get(originOf(b)) ?? 0);
    return difference === 0 ? this.#unreliability(a) < this.#unreliability(b) : difference < 0;
  }

  #unreliability(peer: Peer): number {
    return this.#options.unreliability?.(peer) ?? 0;
  }

  #ask(entry: Entry, peer: Peer): void {
    const deadlineMillis = this.#options.now() + this.#options.timeoutMillis;
    entry.requests.push({ peer, deadlineMillis, hasArrived: false });
    entry.looks = 0;
    const origin = originOf(peer);
    entry.tries.set(origin, (entry.tries.get(origin) ?? 0) + 1);
    increase(this.#underWay, peer);
  }

  #requestOf(id: string, peer: Peer): Request | undefined {
    return this.#entries.get(id)?.requests.find((request) => request.peer === peer);
  }

  #release({ requests }: Entry, request: Request): void {
    requests.splice(requests.indexOf(request), 1);
    decrease(this.#underWay, request.peer);
  }
}

function isOver({ hasArrived, deadlineMillis }: Request, nowMillis: number): boolean {
  return !hasArrived && deadlineMillis <= nowMillis;
}

function increase(counts: Map<Peer, number>, peer: Peer): void {
  counts.set(peer, (counts.get(peer) ?? 0) + 1);
}

function decrease(counts: Map<Peer, number>, peer: Peer): void {
  const count = (counts.get(peer) ?? 1) - 1;
  if (count > 0) counts.set(peer, count);
  else counts.delete(peer);
}
