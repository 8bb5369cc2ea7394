/**
 * The option that a signer needs to review, or sign, a body without a declared fee. A signature for one
 * of several inputs covers the amount of that input alone: only a declared fee is covered by all of them.
 */
import { SvcError } from '../base/svc-error.ts';
import type { TransactionTable } from '../transaction/table.ts';

/** An option of the calls that lead to signatures. */
export interface SigningOptions {
  /** Accept a body of several inputs that declares no fee. The source of the amounts can then lie about it. */
  readonly allowUndeclaredFee?: boolean;
}

/** Refuses a body whose fee no single signature covers, unless the caller asks for it. */
export function expectFeeCovered(
  { declaredFee, inputCount }: TransactionTable,
  options: SigningOptions | undefined,
  path: string,
): void {
  if (declaredFee !== null || inputCount === 1 || options?.allowUndeclaredFee === true) return;
  const found = `expected a declared fee in a body of ${inputCount} inputs`;
  throw new SvcError('fee_undeclared', found, { path });
}
