/**
 * The bodies of open jobs: what a block consists of beside its header. Bodies of a full mempool are large and every payout
 * address has its own with every cut, so all of them together have a limit; of too many, the oldest go whose job has
 * a successor. It ends no jobs itself.
 */

/** Characters of hexadecimal, one byte each. */
export const BODY_CHARACTERS_MAX: number = 512 << 20;

interface Kept<Owner> {
  readonly bodyHex: string;
  readonly owner: Owner;
}

export class BodyCache<Owner> {
  readonly #bodies = new Map<number, Kept<Owner>>();
  readonly #charactersMax: number;
  #characters = 0;

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  /** Whether all bodies together are below the limit. */
  get hasRoom(): boolean {
    return this.#characters < this.#charactersMax;
  }

  get(number: number): Kept<Owner> | undefined {
    return this.#bodies.get(number);
  }

  numbers(): Iterable<number> {
    return this.#bodies.keys();
  }

  add(number: number, kept: Kept<Owner>): void {
    this.#bodies.set(number, kept);
    this.#characters += kept.bodyHex.length;
  }

  /** Drops the oldest that are not needed until there is room; returns the numbers of their jobs. */
  trim(isNeeded: (number: number, owner: Owner) => boolean): readonly number[] {
    const gone: number[] = [];
    for (const [oldest, { owner }] of this.#bodies) {
      if (this.hasRoom) break;
      if (isNeeded(oldest, owner)) continue;
      this.delete(oldest);
      gone.push(oldest);
    }
    return gone;
  }

  delete(number: number): void {
    this.#characters -= this.#bodies.get(number)?.bodyHex.length ?? 0;
    this.#bodies.delete(number);
  }
}
