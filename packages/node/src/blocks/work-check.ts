/**
 * The one costly check of a block: its hash. It is made within the budget of whoever brought the block.
 */
import type { Clock } from 'svc-base/pure';
import { PowBusyError, type ProofOfWork } from 'svc-pow';
import { toHex } from 'svc-wasm/base';
import { type Refused, refused } from './check-header.ts';
import { HashBudget } from './hash-budget.ts';

export class WorkCheck {
  readonly #pow: Pick<ProofOfWork, 'check'>;
  readonly #budget: HashBudget;

  constructor(pow: Pick<ProofOfWork, 'check'>, clock: Clock) {
    this.#pow = pow;
    this.#budget = new HashBudget(clock);
  }

  async check(header: Uint8Array, source: string): Promise<Refused | undefined> {
    if (!this.#budget.charge(source))
      return refused('overloaded', 'too many hashes came to nothing');
    const verdict = await this.#hash(header);
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
