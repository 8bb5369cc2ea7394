/**
 * The one costly check of a block: its hash. It is made within the budget of whoever brought the block.
 */
import type { Clock, Rate } from 'svc-base/pure';
import { PowBusyError, type ProofOfWork } from 'svc-mining/pow';
import { toHex } from 'svc-wasm/base';
import { type Refused, refused } from './check-header.ts';
import { HashBudget } from './hash-budget.ts';

/** Hashes that the pool has under way at once: half of what the queue takes, so that proposals find room in it. */
const HASHES_AT_ONCE_MAX = 256;

export class WorkCheck {
  readonly #pow: Pick<ProofOfWork, 'check'>;
  readonly #budget: HashBudget;
  #underWay = 0;

  /** `common` is what all sources together may spend on hashes that come to nothing. */
  constructor(pow: Pick<ProofOfWork, 'check'>, clock: Clock, common?: Rate) {
    this.#pow = pow;
    this.#budget = new HashBudget(clock, undefined, common);
  }

  async check(header: Uint8Array, source: string): Promise<Refused | undefined> {
    if (this.#underWay >= HASHES_AT_ONCE_MAX)
      return refused('overloaded', `${this.#underWay} hashes are waiting already`);
    if (!this.#budget.charge(source))
      return refused('overloaded', 'too many hashes came to nothing');
    this.#underWay += 1;
    const verdict = await this.#hash(header).finally(() => {
      this.#underWay -= 1;
    });
    if ('code' in verdict || verdict.holds) this.#budget.giveBack(source);
    if ('code' in verdict) return verdict;
    if (verdict.holds) return undefined;
    return refused('target_missed', `the hash ${toHex(verdict.result)} is above the target`);
  }

  async #hash(header: Uint8Array) {
    try {
      return await this.#pow.check(header);
    } catch (error) {
      if (error instanceof PowBusyError) return refused('overloaded', error.message);
      throw error;
    }
  }
}
