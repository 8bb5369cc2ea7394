/**
 * Assertions about our own state. They stay on in production: a failed one means a bug or a broken
 * safety assumption, and the process must stop instead of signing anything more.
 * Bad input from outside is never an assertion.
 */
export type InvariantCode =
  | 'invariant'
  | 'round_regression'
  | 'lock_beyond_round'
  | 'conflicting_decisions'
  | 'certified_invalid_cut'
  | 'unstable_verdict'
  | 'certificate_without_quorum'
  | 'bitmap_outside_set'
  | 'conflicting_own_message'
  | 'time_not_monotone'
  | 'unbounded';

export class FinalityAssertionError extends Error {
  readonly code: InvariantCode;
  /** The two contradicting facts, kept for the operator and as evidence. */
  readonly details: unknown;

  constructor(code: InvariantCode, message: string, details?: unknown) {
    super(`${code}: ${message}`);
    this.name = 'FinalityAssertionError';
    this.code = code;
    this.details = details;
  }
}

export function assertInvariant(
  holds: boolean,
  message: string,
  code: InvariantCode = 'invariant',
  details?: unknown,
): asserts holds {
  if (!holds) throw new FinalityAssertionError(code, message, details);
}
