/**
 * What origins lost by the faults of their peers. The peer book has the scores of the peers that it knows; this remembers
 * those that come back under another name, or that never said where they listen. It fades as theirs does.
 */
import { originOf, type SocketAddress } from '../base/addresses.ts';
import { Remembered } from '../base/remembered.ts';
import { SCORE_HALF_LIFE_MILLIS } from './peer-book.ts';

interface Named {
  readonly id: string;
  readonly address: SocketAddress | undefined;
}

interface Loss {
  score: number;
  atMillis: number;
}

/** The most origins that are remembered. */
const ORIGINS_MAX = 8_192;

export class OriginScores {
  readonly #now: () => number;
  readonly #losses = new Remembered<Loss>(ORIGINS_MAX);

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes over the score of a peer if it is the lowest of its origin. */
  lower(peer: Named, score: number): void {
    if (score >= this.scoreOf(peer)) return;
    Object.assign(this.#lossOf(peer), { score, atMillis: this.#now() });
  }

  /** Never above 0. */
  scoreOf(peer: Named): number {
    const { score, atMillis } = this.#lossOf(peer);
    const elapsed = Math.max(0, this.#now() - atMillis);
    return score * 0.5 ** (elapsed / SCORE_HALF_LIFE_MILLIS);
  }

  #lossOf(peer: Named): Loss {
    return this.#losses.getOrCreate(originOf(peer), () => ({ score: 0, atMillis: this.#now() }));
  }
}
