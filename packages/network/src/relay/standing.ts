/**
 * How reliably the peers of one origin deliver what they announce. It outlives their connections, since another name
 * costs nothing, and decides only who is asked first: an honest neighbour is not punished. Origins that have
 * delivered nothing yet come after those that have.
 */
import { originOf, type SocketAddress } from '../base/addresses.ts';
import { Remembered } from '../base/remembered.ts';

/** A delivery makes up for so many undelivered announcements. */
export const DELIVERED_WEIGHT = 4;
const UNRELIABILITY_MAX = 128;
/** The most origins that are remembered. */
const ORIGINS_MAX = 8_192;

export class Standing {
  #unreliability = DELIVERED_WEIGHT;

  /** Undelivered announcements, less delivered ones. */
  get unreliability(): number {
    return this.#unreliability;
  }

  delivered(): void {
    this.#unreliability = Math.max(0, this.#unreliability - DELIVERED_WEIGHT);
  }

  keptBack(weight: number): void {
    this.#unreliability = Math.min(UNRELIABILITY_MAX, this.#unreliability + weight);
  }
}

export class Standings {
  readonly #standings = new Remembered<Standing>(ORIGINS_MAX);

  of(peer: { readonly id: string; readonly address: SocketAddress | undefined }): Standing {
    return this.#standings.getOrCreate(originOf(peer), () => new Standing());
  }
}
