/**
 * Amounts in requests: atoms within the maximum supply. A fee may be zero, any other amount may not.
 */
import type { Fields } from '../base/fields.ts';
import { U64_MAX } from '../base/fields.ts';
import { SvcError } from '../base/svc-error.ts';
import { ATOMS_MAX } from '../text/amount.ts';

export function expectAtoms(fields: Fields, name: string): bigint {
  const amount = expectFee(fields, name);
  if (amount > 0n) return amount;
  const path = fields.at(name);
  throw new SvcError('zero_amount', 'expected an amount above zero', { path });
}

export function expectFee(fields: Fields, name: string): bigint {
  const amount = fields.decimal(name, { max: U64_MAX });
  if (amount <= ATOMS_MAX) return amount;
  const path = fields.at(name);
  throw new SvcError('amount_too_large', `expected at most ${ATOMS_MAX}, found ${amount}`, {
    path,
  });
}
