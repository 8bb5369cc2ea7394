/**
 * What peers have announced and this node lacks. Each thing is asked of one peer at a time, in the order in
 * which they announced it; silence or absence moves the request on to the next.
 */
import type { Peer } from '../peers/peer.ts';

export interface WantedOptions {
  readonly sizeMax: number;
  /** Requests under way with one peer. */
  readonly perPeerMax: number;
  readonly perRequestMax: number;
  readonly timeoutMillis: number;
  readonly now: () => number;
  readonly ask: (peer: Peer, ids: readonly string[]) => void;
  /** Called when no peer is left to ask. */
  readonly onGivenUp?: (id: string) => void;
}

const SOURCES_MAX = 8;
/** Entries that one pump looks at; those whose peers are all busy go to the end of the queue. */
const LOOKS_MAX = 512;

interface Entry {
  /** Peers that announced the thing and were not asked yet. */
  readonly sources: Peer[];
  asked: { readonly peer: Peer; deadlineMillis: number } | undefined;
}

export class Wanted {
  readonly #options: WantedOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #underWay = new Map<Peer, number>();
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

  /** Whether this peer is being asked for the thing. */
  isAskedOf(id: string, peer: Peer): boolean {
    return this.#entries.get(id)?.asked?.peer === peer;
  }

  /** Adds a thing that a peer announced; the next `pump` asks for it. */
  add(id: string, peer: Peer): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) {
      const isKnown = entry.asked?.peer === peer || entry.sources.includes(peer);
      if (!isKnown && entry.sources.length < SOURCES_MAX) entry.sources.push(peer);
      return;
    }
    if (this.#entries.size >= this.#options.sizeMax) return;
    this.#entries.set(id, { sources: [peer], asked: undefined });
    this.#waiting.add(id);
  }

  /** Forgets a thing that came or is not wanted any more. */
  settle(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#release(entry);
    this.#waiting.delete(id);
    this.#entries.delete(id);
  }

  /** The peer that was asked does not have it, or sent something else. */
  absent(id: string, peer: Peer): void {
    const entry = this.#entries.get(id);
    if (entry?.asked?.peer !== peer) return;
    this.#release(entry);
    this.#waiting.add(id);
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
      this.absent(id, peer);
    }
    this.#underWay.delete(peer);
  }

  expire(): void {
    const now = this.#options.now();
    for (const [id, { asked }] of this.#entries)
      if (asked !== undefined && asked.deadlineMillis <= now) this.absent(id, asked.peer);
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

  #nextSource(entry: Entry): Peer | undefined {
    const at = entry.sources.findIndex(
      (peer) => (this.#underWay.get(peer) ?? 0) < this.#options.perPeerMax,
    );
    return at === -1 ? undefined : entry.sources.splice(at, 1)[0];
  }

  #ask(entry: Entry, peer: Peer): void {
    entry.asked = { peer, deadlineMillis: this.#options.now() + this.#options.timeoutMillis };
    this.#underWay.set(peer, (this.#underWay.get(peer) ?? 0) + 1);
  }

  #release(entry: Entry): void {
    const peer = entry.asked?.peer;
    entry.asked = undefined;
    if (peer === undefined) return;
    const count = (this.#underWay.get(peer) ?? 1) - 1;
    if (count > 0) this.#underWay.set(peer, count);
    else this.#underWay.delete(peer);
  }
}
