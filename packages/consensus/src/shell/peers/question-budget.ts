/**
 * What one validator may make another send: signatures by the period, with a reserve for a validator that has just
 * come back. A query is answered as long as something is left, and its answer is charged afterwards.
 */

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

interface Account {
  units: number;
  at: number;
}

export interface BudgetOptions {
  readonly monotonic: () => number;
  readonly periodMillis: number;
  readonly units: QuestionUnits;
}

export class QuestionBudget {
  readonly #options: BudgetOptions;
  readonly #accounts = new Map<string, Account>();

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** Whether a query is accepted; accepting it costs one unit. */
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
    const { monotonic, periodMillis, units } = this.#options;
    const now = monotonic();
    const account = this.#accounts.get(from) ?? { units: units.max, at: now };
    const earned = ((now - account.at) / periodMillis) * units.perPeriod;
    account.units = Math.min(units.max, account.units + earned);
    account.at = now;
    this.#accounts.set(from, account);
    return account;
  }
}
