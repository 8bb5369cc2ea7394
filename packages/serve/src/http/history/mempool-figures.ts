/**
 * The mempool document. Counts are as of now; the figures that need a walk through the pool are taken at most
 * once a second.
 */
import type { MempoolDocument } from 'svc-api';
import type { Clock } from 'svc-base/pure';
import type { Chain, Mempool } from '../../ports.ts';

const WALK_MILLIS = 1_000;

interface Walked {
  readonly maxFeePerMass: bigint | null;
  readonly oldestMillis: number | null;
}

export class MempoolFigures {
  readonly #chain: Chain;
  readonly #mempool: Mempool;
  readonly #clock: Clock;
  readonly #stops: readonly (() => void)[];
  #walked: Walked = { maxFeePerMass: null, oldestMillis: null };
  #isChanged = true;
  #walkedAt = Number.NEGATIVE_INFINITY;

  constructor(chain: Chain, mempool: Mempool, clock: Clock) {
    this.#chain = chain;
    this.#mempool = mempool;
    this.#clock = clock;
    const change = (): void => {
      this.#isChanged = true;
    };
    this.#stops = [mempool.added.on(change), mempool.removed.on(change)];
  }

  document(): MempoolDocument {
    const { size, bytes, mass } = this.#mempool;
    const { maxFeePerMass, oldestMillis } = size === 0 ? this.#empty() : this.#walk();
    return {
      api_version: 1,
      finalized_height: this.#chain.head.height,
      transactions: size,
      bytes,
      mass: String(mass),
      min_fee_per_mass: String(this.#chain.manifest.rules.min_fee_per_mass),
      max_fee_per_mass: maxFeePerMass === null ? null : String(maxFeePerMass),
      oldest_millis: oldestMillis,
    };
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #empty(): Walked {
    return { maxFeePerMass: null, oldestMillis: null };
  }

  #walk(): Walked {
    const now = this.#clock.now();
    const isDue = this.#isChanged && now - this.#walkedAt >= WALK_MILLIS;
    if (!isDue && this.#walked.oldestMillis !== null) return this.#walked;
    let maxFeePerMass = 0n;
    let oldestMillis = Number.POSITIVE_INFINITY;
    for (const { fee, mass, receivedAtMillis } of this.#mempool.all()) {
      const rate = mass === 0n ? 0n : fee / mass;
      if (rate > maxFeePerMass) maxFeePerMass = rate;
      oldestMillis = Math.min(oldestMillis, receivedAtMillis);
    }
    this.#walked = { maxFeePerMass, oldestMillis };
    this.#walkedAt = now;
    this.#isChanged = false;
    return this.#walked;
  }
}
