/**
 * What one validator may make another send: signatures in each period, with a reserve for one that has just
 * reconnected. A query is answered as long as something is left, and its answer is charged afterwards.
 */
import { TokenBucket } from 'svc-base/pure';

/** Signatures that one validator may have of another. */
export interface QuestionUnits {
  readonly perPeriod: number;
  readonly max: number;
}

/** A round of votes and a polka: enough for a validator that lacks everything of a round. */
const UNITS_PER_PERIOD = 192;
export const QUESTION_UNITS: QuestionUnits = {
  perPeriod: UNITS_PER_PERIOD,
  max: 4 * UNITS_PER_PERIOD,
};

export interface BudgetOptions {
  readonly monotonic: () => number;
  readonly periodMillis: number;
  readonly units: QuestionUnits;
}

export class QuestionBudget {
  readonly #options: BudgetOptions;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** Whether a query is accepted; accepting it costs one unit. */
  mayAsk(from: string): boolean {
    const now = this.#options.monotonic();
    const bucket = this.#bucketOf(from, now);
    if (bucket.left(now) <= 0) return false;
    bucket.spend(1, now);
    return true;
  }

  charge(from: string | undefined, units: number): void {
    if (from === undefined) return;
    const now = this.#options.monotonic();
    this.#bucketOf(from, now).spend(units, now);
  }

  #bucketOf(from: string, now: number): TokenBucket {
    const found = this.#buckets.get(from);
    if (found !== undefined) return found;
    const { periodMillis, units } = this.#options;
    const perSecond = (units.perPeriod * 1_000) / periodMillis;
    const bucket = new TokenBucket({ perSecond, burst: units.max }, now);
    this.#buckets.set(from, bucket);
    return bucket;
  }
}
