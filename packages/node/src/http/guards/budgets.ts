/**
 * Token buckets, one for each client: so many units at once, refilled at a rate. A client that goes on over
 * its rate is blocked for a while. Clients that were not seen for long are forgotten first.
 */
import QuickLRU from 'quick-lru';

export interface BudgetLimits {
  /** Units that may be spent at once. */
  readonly burst: number;
  readonly unitsPerSecond: number;
  /** Refusals in a row after which the client is blocked; never if absent. */
  readonly strikesMax?: number;
  readonly blockMillis?: number;
}

interface Bucket {
  units: number;
  atMillis: number;
  strikes: number;
  blockedUntil: number;
}

export type BudgetVerdict =
  | { readonly granted: true }
  | { readonly granted: false; readonly retryAfterMillis: number; readonly blocked: boolean };

const GRANTED: BudgetVerdict = { granted: true };
/** The cache keeps up to twice as many clients. */
const CLIENTS_MAX = 32_768;

export class Budgets {
  readonly #limits: BudgetLimits;
  readonly #buckets = new QuickLRU<string, Bucket>({ maxSize: CLIENTS_MAX });

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  get clients(): number {
    return this.#buckets.size;
  }

  spend(client: string, units: number, nowMillis: number): BudgetVerdict {
    const bucket = this.#bucketOf(client, nowMillis);
    if (nowMillis < bucket.blockedUntil) return refused(bucket.blockedUntil - nowMillis, true);
    if (bucket.units >= units) {
      bucket.units -= units;
      bucket.strikes = Math.max(0, bucket.strikes - 1);
      return GRANTED;
    }
    return this.#strike(bucket, units, nowMillis);
  }

  /** Whether a client is blocked now; one that was never seen is not, and is not remembered for being asked about. */
  isBlocked(client: string, nowMillis: number): boolean {
    const bucket = this.#buckets.peek(client);
    return bucket !== undefined && nowMillis < bucket.blockedUntil;
  }

  /** Blocks a client at once, if clients are ever blocked. */
  block(client: string, nowMillis: number): void {
    this.#bucketOf(client, nowMillis).blockedUntil = nowMillis + (this.#limits.blockMillis ?? 0);
  }

  /** Spends units for work that turned out larger than expected; the client may go into debt. */
  charge(client: string, units: number, nowMillis: number): void {
    const bucket = this.#bucketOf(client, nowMillis);
    bucket.units = Math.max(-this.#limits.burst, bucket.units - units);
  }

  #strike(bucket: Bucket, units: number, nowMillis: number): BudgetVerdict {
    const { strikesMax, blockMillis = 0, unitsPerSecond } = this.#limits;
    bucket.strikes++;
    if (strikesMax !== undefined && bucket.strikes > strikesMax) {
      bucket.strikes = 0;
      bucket.blockedUntil = nowMillis + blockMillis;
      return refused(blockMillis, true);
    }
    return refused(Math.ceil(((units - bucket.units) * 1_000) / unitsPerSecond), false);
  }

  #bucketOf(client: string, nowMillis: number): Bucket {
    const { burst, unitsPerSecond } = this.#limits;
    const found = this.#buckets.get(client);
    if (found === undefined) {
      const bucket = { units: burst, atMillis: nowMillis, strikes: 0, blockedUntil: 0 };
      this.#buckets.set(client, bucket);
      return bucket;
    }
    const passed = Math.max(0, nowMillis - found.atMillis);
    found.units = Math.min(burst, found.units + (passed * unitsPerSecond) / 1_000);
    found.atMillis = nowMillis;
    return found;
  }
}

function refused(retryAfterMillis: number, blocked: boolean): BudgetVerdict {
  return { granted: false, retryAfterMillis: Math.max(1, retryAfterMillis), blocked };
}
