/**
 * Amounts in requests: atoms above zero and within the maximum supply.
 */
import type { Fields } from '../base/fields.ts';
import { U64_MAX } from '../base/fields.ts';
import { SvcError } from '../base/svc-error.ts';
import { ATOMS_MAX } from '../text/amount.ts';

export function expectAtoms(fields: Fields, name: string): bigint {
  const amount = fields.decimal(name, { max: U64_MAX });
  const path = fields.at(name);
  if (amount === 0n) throw new SvcError('zero_amount', 'expected an amount above zero', { path });
  if (amount <= ATOMS_MAX) return amount;
  throw new SvcError('amount_too_large', `expected at most ${ATOMS_MAX}, found ${amount}`, {
    path,
  });
}
