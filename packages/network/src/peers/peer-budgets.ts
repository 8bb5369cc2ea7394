/**
 * What each peer may ask for and be sent. Budgets belong to where a peer comes from, not to its stream or connection:
 * whoever opens another stream, reconnects or takes another name goes on with what was left. All answers together stay
 * within the upload limit of the operator.
 */
import { type Clock, sleep } from 'svc-base/pure';
import { originOf } from '../base/addresses.ts';
import { Remembered } from '../base/remembered.ts';
import { type Rate, TokenBucket } from '../base/token-bucket.ts';
import { Budget, type BudgetRates } from '../wire/budget.ts';
import type { Peer } from './peer.ts';

export interface PeerBudgetsOptions {
  readonly clock: Clock;
  /** Bytes a second of all answers together; 0 for no limit. */
  readonly uploadBytesPerSecond: number;
}

/** The most budgets that are kept; those that were not used for the longest go first. */
const BUDGETS_MAX = 8_192;

export class PeerBudgets {
  readonly #clock: Clock;
  readonly #upload: TokenBucket | undefined;
  readonly #requests = new Remembered<Budget>(BUDGETS_MAX);
  readonly #served = new Remembered<TokenBucket>(BUDGETS_MAX);
  readonly #closing = new AbortController();

  constructor({ clock, uploadBytesPerSecond: perSecond }: PeerBudgetsOptions) {
    this.#clock = clock;
    this.#upload =
      perSecond === 0
        ? undefined
        : new TokenBucket({ perSecond, burst: perSecond }, clock.monotonic());
  }

  /** The budget of what a peer sends over a protocol. */
  requestsOf(peer: Peer, protocol: string, rates: BudgetRates): Budget {
    const create = (): Budget => new Budget(rates, () => this.#clock.monotonic());
    return this.#requests.getOrCreate(`${originOf(peer)} ${protocol}`, create);
  }

  /** Nobody waits any more. */
  close(): void {
    this.#closing.abort();
  }

  /** Resolves when so many bytes may be sent to a peer over a protocol. */
  async allow(peer: Peer, protocol: string, rate: Rate, bytes: number): Promise<void> {
    const create = (): TokenBucket => new TokenBucket(rate, this.#clock.monotonic());
    const served = this.#served.getOrCreate(`${originOf(peer)} ${protocol}`, create);
    for (const bucket of [served, this.#upload]) {
      if (bucket === undefined) continue;
      const now = this.#clock.monotonic();
      const waitMillis = bucket.waitMillis(now);
      bucket.spend(bytes, now);
      if (waitMillis > 0) await sleep(this.#clock, waitMillis, this.#closing.signal);
    }
  }
}
