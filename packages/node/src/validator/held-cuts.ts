/**
 * Cuts of the height in progress and the next that this validator has the bytes of. They come with verified
 * proposals and certificates or were asked for, so there are few.
 */
import type { CutId, EncodedCut } from 'svc-finality';

const CUTS_MAX = 64;

export class HeldCuts {
  readonly #cuts = new Map<CutId, EncodedCut>();
  readonly #isNeeded: (value: CutId) => boolean;

  /** What is needed, because the machine may propose or decide it, is never forgotten for lack of room. */
  constructor(isNeeded: (value: CutId) => boolean) {
    this.#isNeeded = isNeeded;
  }

  get(value: CutId): EncodedCut | undefined {
    return this.#cuts.get(value);
  }

  learn(cut: EncodedCut): void {
    if (this.#cuts.has(cut.value)) return;
    this.#cuts.set(cut.value, cut);
    if (this.#cuts.size <= CUTS_MAX) return;
    for (const value of this.#cuts.keys()) {
      if (value === cut.value || this.#isNeeded(value)) continue;
      this.#cuts.delete(value);
      return;
    }
  }

  forgetBelow(height: number): void {
    for (const [value, { fields }] of this.#cuts)
      if (fields.height < BigInt(height)) this.#cuts.delete(value);
  }
}
