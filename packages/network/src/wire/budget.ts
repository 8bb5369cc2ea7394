/**
 * What a peer may send in a stretch of time, by bytes and by messages of each kind. A peer over its budget is read
 * more slowly; nothing is lost and no peer is blamed.
 */
import { type Rate, TokenBucket } from 'svc-base/pure';

export interface BudgetRates {
  readonly bytes: Rate;
  readonly messages: Rate;
  /** Kinds that cost more than their bytes. */
  readonly kinds?: Readonly<Record<number, Rate>>;
}

export class Budget {
  readonly #now: () => number;
  readonly #bytes: TokenBucket;
  readonly #messages: TokenBucket;
  readonly #kinds = new Map<number, TokenBucket>();

  constructor(rates: BudgetRates, now: () => number) {
    this.#now = now;
    this.#bytes = new TokenBucket(rates.bytes, now());
    this.#messages = new TokenBucket(rates.messages, now());
    for (const [kind, rate] of Object.entries(rates.kinds ?? {}))
      this.#kinds.set(Number(kind), new TokenBucket(rate, now()));
  }

  /** How many milliseconds to wait before anything is read: budgets outlive the streams that they are used for. */
  get waitMillis(): number {
    const now = this.#now();
    return Math.max(this.#bytes.waitMillis(now), this.#messages.waitMillis(now));
  }

  /** Charges a message. Returns how many milliseconds to wait before the next one is read. */
  charge(kind: number, bytes: number): number {
    const now = this.#now();
    this.#bytes.spend(bytes, now);
    this.#messages.spend(1, now);
    const ofKind = this.#kinds.get(kind);
    ofKind?.spend(1, now);
    return Math.max(
      this.#bytes.waitMillis(now),
      this.#messages.waitMillis(now),
      ofKind?.waitMillis(now) ?? 0,
    );
  }
}
