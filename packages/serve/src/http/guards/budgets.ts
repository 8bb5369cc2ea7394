/**
 * Token buckets, one for each client: so many units at once, refilled at a rate. A client that stays over
 * its rate is blocked for a while. Clients that were not seen for long are forgotten first.
 */
import QuickLRU from 'quick-lru';
import { type Rate, TokenBucket } from 'svc-base/pure';

export interface BudgetLimits extends Rate {
  /** Refusals in a row after which the client is blocked; never if absent. */
  readonly strikesMax?: number;
  readonly blockMillis?: number;
}

interface Client {
  readonly bucket: TokenBucket;
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
  readonly #clients = new QuickLRU<string, Client>({ maxSize: CLIENTS_MAX });

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  get clients(): number {
    return this.#clients.size;
  }

  spend(name: string, units: number, nowMillis: number): BudgetVerdict {
    const client = this.#clientOf(name, nowMillis);
    if (nowMillis < client.blockedUntil) return refused(client.blockedUntil - nowMillis, true);
    const waitMillis = client.bucket.waitMillis(nowMillis, units);
    if (waitMillis > 0) return this.#strike(client, waitMillis, nowMillis);
    client.bucket.spend(units, nowMillis);
    client.strikes = Math.max(0, client.strikes - 1);
    return GRANTED;
  }

  /** Whether a client is blocked now; one that was never seen is not, and is not remembered for this question. */
  isBlocked(name: string, nowMillis: number): boolean {
    const client = this.#clients.peek(name);
    return client !== undefined && nowMillis < client.blockedUntil;
  }

  /** Blocks a client at once, if clients are ever blocked. */
  block(name: string, nowMillis: number): void {
    this.#clientOf(name, nowMillis).blockedUntil = nowMillis + (this.#limits.blockMillis ?? 0);
  }

  /** Spends units for work that turned out larger than expected; the client may go into debt. */
  charge(name: string, units: number, nowMillis: number): void {
    const { bucket } = this.#clientOf(name, nowMillis);
    bucket.spend(Math.min(units, bucket.left(nowMillis) + this.#limits.burst), nowMillis);
  }

  #strike(client: Client, waitMillis: number, nowMillis: number): BudgetVerdict {
    const { strikesMax, blockMillis = 0 } = this.#limits;
    client.strikes++;
    if (strikesMax === undefined || client.strikes <= strikesMax) return refused(waitMillis, false);
    client.strikes = 0;
    client.blockedUntil = nowMillis + blockMillis;
    return refused(blockMillis, true);
  }

  #clientOf(name: string, nowMillis: number): Client {
    const found = this.#clients.get(name);
    if (found !== undefined) return found;
    const bucket = new TokenBucket(this.#limits, nowMillis);
    const client = { bucket, strikes: 0, blockedUntil: 0 };
    this.#clients.set(name, client);
    return client;
  }
}

function refused(retryAfterMillis: number, blocked: boolean): BudgetVerdict {
  return { granted: false, retryAfterMillis: Math.max(1, retryAfterMillis), blocked };
}
