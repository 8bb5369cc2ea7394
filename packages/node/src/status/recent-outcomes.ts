/**
 * Which blocks the last cuts executed transactions in. A reader may show an earlier head than the pools do:
 * what a newer cut has taken out of them was still in a registered block at the reader's height.
 */
import type { TransactionOutcome } from 'svc-ledger';
import type { FinalizedCut } from 'svc-serve/ports';

/** No reader lives for longer. */
const CUTS_MAX = 16;

export interface RecentOutcome {
  readonly blockId: string;
  /** The cut that executed it; the one before registered its block. */
  readonly height: number;
}

/** A cut's outcomes, by the id of the transaction once somebody has asked for one. */
class CutOutcomes {
  readonly #outcomes: readonly TransactionOutcome[];
  #blockIds: ReadonlyMap<string, string> | undefined;

  constructor(outcomes: readonly TransactionOutcome[]) {
    this.#outcomes = outcomes;
  }

  blockOf(id: string): string | undefined {
    this.#blockIds ??= new Map(
      this.#outcomes.map(({ transactionId, blockId }) => [transactionId, blockId]),
    );
    return this.#blockIds.get(id);
  }
}

export class RecentOutcomes {
  readonly #cuts = new Map<number, CutOutcomes>();

  /** Nothing is indexed here: a node that catches up records thousands of cuts that nobody asks about. */
  record({ height, result }: FinalizedCut): void {
    this.#cuts.set(height, new CutOutcomes(result.events.outcomes));
    this.#cuts.delete(height - CUTS_MAX);
  }

  /** The first outcome above a height. */
  above(height: number, id: string): RecentOutcome | undefined {
    for (const [cut, outcomes] of this.#cuts) {
      const blockId = cut > height ? outcomes.blockOf(id) : undefined;
      if (blockId !== undefined) return { blockId, height: cut };
    }
    return undefined;
  }
}
