/**
 * Cuts of the height in progress and the next that this validator has the bytes of. They come with verified
 * proposals and certificates or were asked for, so there are few.
 */
import type { CutId, EncodedCut } from 'svc-finality';

const CUTS_MAX = 64;

export class HeldCuts {
  readonly #cuts = new Map<CutId, EncodedCut>();

  get(value: CutId): EncodedCut | undefined {
    return this.#cuts.get(value);
  }

  learn(cut: EncodedCut): void {
    if (this.#cuts.has(cut.value)) return;
    this.#cuts.set(cut.value, cut);
    const [oldest] = this.#cuts.keys();
    if (this.#cuts.size > CUTS_MAX && oldest !== undefined) this.#cuts.delete(oldest);
  }

  forgetBelow(height: number): void {
    for (const [value, { fields }] of this.#cuts)
      if (fields.height < BigInt(height)) this.#cuts.delete(value);
  }
}
