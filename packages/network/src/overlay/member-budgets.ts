/**
 * What each validator may send here and have forwarded. Budgets belong to the validator and outlive its links: a new
 * connection continues with what was left.
 */
import { type Clock, type Rate, TokenBucket } from 'svc-base/pure';
import { Remembered } from '../base/remembered.ts';
import { Budget } from '../wire/budget.ts';
import { LINK } from './link-kinds.ts';

/** `signed`: its signatures hold, and it goes to all targets. `unsigned`: it goes to one. */
export type Passed = 'signed' | 'unsigned';

/** Members of this epoch and the next, and as many that have left. */
const MEMBERS_KEPT_MAX = 256;
/** More than the fullest round of a committee takes. */
const READ_RATES = {
  bytes: { perSecond: 16_777_216, burst: 67_108_864 },
  messages: { perSecond: 4_000, burst: 16_000 },
  kinds: {
    [LINK.forward]: { perSecond: 1_000, burst: 4_000 },
    // Every link begins with the records of all: this allows for some links that break one after the other. Known
    // records are cheap.
    [LINK.record]: { perSecond: 20, burst: 2_000 },
    [LINK.neighbours]: { perSecond: 10, burst: 50 },
    [LINK.slotRequest]: { perSecond: 1, burst: 10 },
  },
};
/** Bytes that leave. The fullest proposal takes 6 MB to 127 others; all blocks of the fullest cut take 16 MB to one. */
const PASSED_RATES: Readonly<Record<Passed, Rate>> = {
  signed: { perSecond: 8_388_608, burst: 33_554_432 },
  unsigned: { perSecond: 4_194_304, burst: 33_554_432 },
};

export class MemberBudgets {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #read = new Remembered<Budget>(MEMBERS_KEPT_MAX);
  readonly #passed = new Remembered<Record<Passed, TokenBucket>>(MEMBERS_KEPT_MAX);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** For what is read of a validator, over any link. */
  readBudgetOf(validatorId: string): Budget {
    const create = (): Budget => new Budget(READ_RATES, () => this.#clock.monotonic());
    return this.#read.getOrCreate(validatorId, create);
  }

  /** Whether so many bytes of a validator may be passed on now; they are charged if so. */
  mayPassOn(validatorId: string, passed: Passed, bytes: number): boolean {
    const now = this.#clock.monotonic();
    const buckets = this.#passed.getOrCreate(validatorId, () => ({
      signed: new TokenBucket(PASSED_RATES.signed, now),
      unsigned: new TokenBucket(PASSED_RATES.unsigned, now),
    }));
    return buckets[passed].trySpend(bytes, now);
  }
}
