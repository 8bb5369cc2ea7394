/**
 * What one validator may make another send: signatures by the period, with a reserve for who has just come back. A
 * question is answered as long as something is left, and its answer is charged afterwards.
 */

/** A round of votes and a polka: what somebody who lacks everything of a round needs. */
const UNITS_PER_PERIOD = 192;
const UNITS_MAX = 4 * UNITS_PER_PERIOD;

interface Account {
  units: number;
  at: number;
}

export interface BudgetOptions {
  readonly monotonic: () => number;
  readonly periodMillis: number;
}

export class QuestionBudget {
  readonly #options: BudgetOptions;
  readonly #accounts = new Map<string, Account>();

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** Whether a question is heard; hearing it costs one unit. */
  mayAsk(from: string): boolean {
    const account = this.#accountOf(from);
    if (account.units <= 0) return false;
    account.units -= 1;
    return true;
  }

  charge(from: string | undefined, units: number): void {
    if (from !== undefined) this.#accountOf(from).units -= units;
  }

  #accountOf(from: string): Account {
    const { monotonic, periodMillis } = this.#options;
    const now = monotonic();
    const account = this.#accounts.get(from) ?? { units: UNITS_MAX, at: now };
    const earned = ((now - account.at) / periodMillis) * UNITS_PER_PERIOD;
    account.units = Math.min(UNITS_MAX, account.units + earned);
    account.at = now;
    this.#accounts.set(from, account);
    return account;
  }
}
