/**
 * Which blocks the last cuts executed transactions in. A reader may show an earlier head than the pools do:
 * what a newer cut has taken out of them was still in a registered block at the reader's height.
 */
import type { FinalizedCut } from '../ports/chain.ts';

/** No reader lives for longer. */
const CUTS_MAX = 16;

export interface RecentOutcome {
  readonly blockId: string;
  /** The cut that executed it; the one before registered its block. */
  readonly height: number;
}

export class RecentOutcomes {
  readonly #cuts = new Map<number, ReadonlyMap<string, RecentOutcome>>();

  record({ height, result }: FinalizedCut): void {
    const { outcomes } = result.events;
    this.#cuts.set(
      height,
      new Map(outcomes.map(({ transactionId, blockId }) => [transactionId, { blockId, height }])),
    );
    this.#cuts.delete(height - CUTS_MAX);
  }

  /** The first outcome above a height. */
  above(height: number, id: string): RecentOutcome | undefined {
    for (const [cut, outcomes] of this.#cuts) {
      const outcome = cut > height ? outcomes.get(id) : undefined;
      if (outcome !== undefined) return outcome;
    }
    return undefined;
  }
}
