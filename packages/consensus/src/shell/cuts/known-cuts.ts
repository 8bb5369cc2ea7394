/**
 * Cuts of the height in progress and the next whose bytes this validator has. They come with verified proposals
 * and certificates or were asked for, so there are few.
 */
import type { CutId, EncodedCut } from 'svc-consensus/machine';
import type { Driver } from '../driver.ts';

const CUTS_MAX = 64;

export class KnownCuts {
  readonly #driver: Pick<Driver, 'state'>;
  readonly #cuts = new Map<CutId, EncodedCut>();

  constructor(driver: Pick<Driver, 'state'>) {
    this.#driver = driver;
  }

  get(value: CutId): EncodedCut | undefined {
    return this.#cuts.get(value);
  }

  /** Beyond the limit the oldest cut without a verdict is dropped: the machine may propose or decide one with a verdict. */
  learn(cut: EncodedCut): void {
    if (this.#cuts.has(cut.value)) return;
    this.#cuts.set(cut.value, cut);
    if (this.#cuts.size <= CUTS_MAX) return;
    const { verdicts } = this.#driver.state;
    for (const value of this.#cuts.keys()) {
      if (value === cut.value || verdicts.has(value)) continue;
      this.#cuts.delete(value);
      return;
    }
  }

  forgetBelow(height: number): void {
    for (const [value, { fields }] of this.#cuts)
      if (fields.height < BigInt(height)) this.#cuts.delete(value);
  }
}
