/**
 * Why a transaction is not executed although its inputs are there.
 */
export interface Refusal {
  readonly kind: 'invalid' | 'no_effect';
  readonly reason: string;
}

/** The transaction breaks a rule that no later state will mend. */
export function invalid(reason: string): Refusal {
  return { kind: 'invalid', reason };
}

/** The operation's precondition does not hold now. */
export function noEffect(reason: string): Refusal {
  return { kind: 'no_effect', reason };
}
