/**
 * Assertions of the ledger. They catch our own bugs and states that must not exist, stay on in
 * production and stop the node; bad input is never an assertion.
 */
export class LedgerAssertionError extends Error {
  override readonly name = 'LedgerAssertionError';
}

export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new LedgerAssertionError(message);
}

/** The value, which must be there. */
export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new LedgerAssertionError(`${what} is missing`);
  return value;
}
