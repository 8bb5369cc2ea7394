/**
 * How reliably those who come from one place deliver what they announce. It is kept while they come and go, since another
 * name costs nothing. Whoever has delivered nothing yet stands behind those who have.
 */
import { originOf, type SocketAddress } from '../base/addresses.ts';
import { Remembered } from '../base/remembered.ts';

/** What was delivered makes up for so many times as much that was not. */
export const DELIVERED_WEIGHT = 4;
const UNRELIABILITY_MAX = 128;
/** The most origins that are remembered. */
const ORIGINS_MAX = 8_192;

export class Standing {
  #unreliability = DELIVERED_WEIGHT;
  #debt = 0;

  /** How much was kept back of what was announced, less what was delivered. */
  get unreliability(): number {
    return this.#unreliability;
  }

  /** The same without what was merely slow: what the next one from there begins with. */
  get debt(): number {
    return this.#debt;
  }

  delivered(): void {
    this.#unreliability = Math.max(0, this.#unreliability - DELIVERED_WEIGHT);
    this.#debt = Math.max(0, this.#debt - DELIVERED_WEIGHT);
  }

  keptBack(weight: number): void {
    this.#debt = Math.min(UNRELIABILITY_MAX, this.#debt + weight);
    this.wasSlow(weight);
  }

  wasSlow(weight: number): void {
    this.#unreliability = Math.min(UNRELIABILITY_MAX, this.#unreliability + weight);
  }
}

export class Standings {
  readonly #standings = new Remembered<Standing>(ORIGINS_MAX);

  of(peer: { readonly id: string; readonly address: SocketAddress | undefined }): Standing {
    return this.#standings.getOrCreate(originOf(peer), () => new Standing());
  }
}
