/**
 * Amounts of a payment that somebody is asked to sign. Every table says what its amounts are, so that change cannot be
 * taken for a payment or a payment for change.
 */
export interface PaidAmount {
  readonly to: string;
  readonly amount: string;
}

/** Rows of a table whose column of amounts has this name. */
export function paidLines(name: string, amounts: readonly PaidAmount[] = []): object[] {
  return amounts.map(({ amount, to }) => ({ [name]: amount, to }));
}
