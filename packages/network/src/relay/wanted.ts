/**
 * What peers have announced and this node lacks. Each thing is asked of one peer at a time, the most reliable of those
 * that announced it first; silence, absence or a bad copy moves the request on to the next. Every peer has a quota of
 * its own, so that nobody's announcements take the room of another's.
 */
import type { Peer } from '../peers/peer.ts';

export interface WantedOptions {
  /** The most things that one peer may have announced and that are still wanted. */
  readonly announcedPerPeerMax: number;
  /** Requests under way with one peer. */
  readonly perPeerMax: number;
  readonly perRequestMax: number;
  readonly timeoutMillis: number;
  readonly now: () => number;
  readonly ask: (peer: Peer, ids: readonly string[]) => void;
  /** How often a peer has kept back what it announced; peers with little are asked first. */
  readonly unreliability?: (peer: Peer) => number;
  /** Called when a peer did not send what it had announced; `isSilent` if it said nothing at all. */
  readonly onUndelivered?: (peer: Peer, isSilent: boolean) => void;
  /** Called when no peer is left to ask. */
  readonly onGivenUp?: (id: string) => void;
}

const SOURCES_MAX = 8;
/** Entries that one pump looks at; those whose peers are all busy go to the end of the queue. */
const LOOKS_MAX = 512;

interface Entry {
  /** Peers that announced the thing and were not asked yet. */
  readonly sources: Peer[];
  asked: Request | undefined;
}

interface Request {
  readonly peer: Peer;
  deadlineMillis: number;
  /** Whether the answer came and is being checked. */
  hasArrived: boolean;
}

export class Wanted {
  readonly #options: WantedOptions;
  readonly #entries = new Map<string, Entry>();
  /** How many requests are under way with each peer. */
  readonly #underWay = new Map<Peer, number>();
  /** In how many entries each peer is a source that was not asked yet. */
  readonly #announced = new Map<Peer, number>();
  /** Ids that no peer is being asked for. */
  readonly #waiting = new Set<string>();

  constructor(options: WantedOptions) {
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
    const asked = this.#entries.get(id)?.asked;
    return asked?.peer === peer && !asked.hasArrived;
  }

  /** Adds a thing that a peer announced; the next `pump` asks for it. What is beyond the peer's quota is passed over. */
  add(id: string, peer: Peer): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined && (entry.asked?.peer === peer || entry.sources.includes(peer))) return;
    const announced = this.#announced.get(peer) ?? 0;
    const asked = this.#underWay.get(peer) ?? 0;
    if (announced + asked >= this.#options.announcedPerPeerMax) return;
    if (entry === undefined) {
      this.#entries.set(id, { sources: [peer], asked: undefined });
      this.#waiting.add(id);
    } else {
      if (entry.sources.length >= SOURCES_MAX && !this.#replaceWorst(entry, peer)) return;
      entry.sources.push(peer);
    }
    this.#announced.set(peer, announced + 1);
  }

  /** Forgets a thing that was taken or is not wanted any more. */
  settle(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    for (const peer of entry.sources) decrease(this.#announced, peer);
    this.#release(entry);
    this.#waiting.delete(id);
    this.#entries.delete(id);
  }

  /** The answer came: the thing stays wanted until it is settled, or is asked of others if it was a bad copy. */
  arrived(id: string): void {
    const asked = this.#entries.get(id)?.asked;
    if (asked !== undefined) asked.hasArrived = true;
  }

  /** The peer that was asked does not have it, or sent something else. */
  absent(id: string, peer: Peer): void {
    const entry = this.#entries.get(id);
    if (entry?.asked?.peer !== peer) return;
    if (!entry.asked.hasArrived) this.#options.onUndelivered?.(peer, false);
    this.#askNext(id, entry);
  }

  /** Starts the time of an answer anew, because part of it came. */
  extend(id: string): void {
    const asked = this.#entries.get(id)?.asked;
    if (asked !== undefined)
      asked.deadlineMillis = this.#options.now() + this.#options.timeoutMillis;
  }

  peerLeft(peer: Peer): void {
    for (const [id, entry] of this.#entries) {
      const at = entry.sources.indexOf(peer);
      if (at !== -1) entry.sources.splice(at, 1);
      if (entry.asked?.peer === peer) this.#askNext(id, entry);
    }
    this.#underWay.delete(peer);
    this.#announced.delete(peer);
  }

  expire(): void {
    const now = this.#options.now();
    for (const [id, entry] of this.#entries) {
      const { asked } = entry;
      if (asked === undefined || asked.hasArrived || asked.deadlineMillis > now) continue;
      this.#options.onUndelivered?.(asked.peer, true);
      this.#askNext(id, entry);
    }
  }

  /** Sends the requests that can be sent now. */
  pump(): void {
    const batches = new Map<Peer, string[]>();
    let looks = Math.min(LOOKS_MAX, this.#waiting.size);
    for (const id of this.#waiting) {
      if (looks-- === 0) break;
      const entry = this.#entries.get(id) as Entry;
      if (entry.sources.length === 0) {
        this.settle(id);
        this.#options.onGivenUp?.(id);
        continue;
      }
      const peer = this.#nextSource(entry);
      this.#waiting.delete(id);
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

  /** Takes the most reliable source that has room for a request out of the entry. */
  #nextSource(entry: Entry): Peer | undefined {
    let best: Peer | undefined;
    for (const peer of entry.sources) {
      if ((this.#underWay.get(peer) ?? 0) >= this.#options.perPeerMax) continue;
      if (best === undefined || this.#unreliability(peer) < this.#unreliability(best)) best = peer;
    }
    if (best === undefined) return undefined;
    entry.sources.splice(entry.sources.indexOf(best), 1);
    decrease(this.#announced, best);
    return best;
  }

  /** Makes room for a more reliable source; false if the peer is no better than those that are there. */
  #replaceWorst(entry: Entry, peer: Peer): boolean {
    const worst = entry.sources.reduce((a, b) =>
      this.#unreliability(b) > this.#unreliability(a) ? b : a,
    );
    if (this.#unreliability(worst) <= this.#unreliability(peer)) return false;
    entry.sources.splice(entry.sources.indexOf(worst), 1);
    decrease(this.#announced, worst);
    return true;
  }

  #unreliability(peer: Peer): number {
    return this.#options.unreliability?.(peer) ?? 0;
  }

  #ask(entry: Entry, peer: Peer): void {
    const deadlineMillis = this.#options.now() + this.#options.timeoutMillis;
    entry.asked = { peer, deadlineMillis, hasArrived: false };
    this.#underWay.set(peer, (this.#underWay.get(peer) ?? 0) + 1);
  }

  #askNext(id: string, entry: Entry): void {
    this.#release(entry);
    this.#waiting.add(id);
  }

  #release(entry: Entry): void {
    const peer = entry.asked?.peer;
    entry.asked = undefined;
    if (peer !== undefined) decrease(this.#underWay, peer);
  }
}

function decrease(counts: Map<Peer, number>, peer: Peer): void {
  const count = (counts.get(peer) ?? 1) - 1;
  if (count > 0) counts.set(peer, count);
  else counts.delete(peer);
}
