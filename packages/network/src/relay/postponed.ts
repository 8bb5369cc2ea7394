/**
 * What peers offered and this node could not judge yet, because it lags behind or lacks what the thing depends on. It
 * is asked for again after the next cuts, more and more rarely, of the peer that has it, without being announced again.
 */
import type { Peer } from '../peers/peer.ts';

const PER_PEER_MAX = 128;
/** Cuts from one retry to the next; after the last one the entry is forgotten until it is announced again. */
const PAUSES: readonly number[] = [1, 1, 1, 2, 4, 8, 16];

interface Entry {
  readonly peer: Peer;
  tries: number;
  dueAtCut: number;
}

export class Postponed {
  readonly #askAgain: (id: string, peer: Peer) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #counts = new Map<Peer, number>();
  #cuts = 0;

  constructor(askAgain: (id: string, peer: Peer) => void) {
    this.#askAgain = askAgain;
  }

  /** Whether a repeated request to this peer is scheduled. */
  isOf(id: string, peer: Peer): boolean {
    return this.#entries.get(id)?.peer === peer;
  }

  /** The number of cuts so far; to be read before the thing is judged. */
  get cuts(): number {
    return this.#cuts;
  }

  /** Adds a thing that could not be judged with what was known at `judgedAtCut`, of a peer that is there. */
  add(id: string, peer: Peer, judgedAtCut: number): void {
    if (!this.isOf(id, peer)) {
      const count = this.#counts.get(peer) ?? 0;
      if (count >= PER_PEER_MAX) return;
      this.settle(id);
      this.#entries.set(id, { peer, tries: 0, dueAtCut: this.#cuts + 1 });
      this.#counts.set(peer, count + 1);
    }
    const entry = this.#entries.get(id);
    if (entry !== undefined && judgedAtCut < this.#cuts) this.#try(id, entry);
  }

  settle(id: string): void {
    const known = this.#entries.get(id);
    if (known === undefined) return;
    this.#entries.delete(id);
    const count = (this.#counts.get(known.peer) ?? 1) - 1;
    if (count > 0) this.#counts.set(known.peer, count);
    else this.#counts.delete(known.peer);
  }

  peerLeft(peer: Peer): void {
    for (const [id, entry] of this.#entries) if (entry.peer === peer) this.settle(id);
  }

  cutInstalled(): void {
    this.#cuts++;
    for (const [id, entry] of this.#entries) if (entry.dueAtCut <= this.#cuts) this.#try(id, entry);
  }

  #try(id: string, entry: Entry): void {
    entry.tries++;
    const pause = PAUSES[entry.tries];
    if (pause === undefined) this.settle(id);
    else entry.dueAtCut = this.#cuts + pause;
    this.#askAgain(id, entry.peer);
  }
}
