/**
 * Amounts in atoms; `docs/protocol.md` 1. No amount and no sum exceeds the maximum supply, so no
 * addition of two checked amounts can wrap.
 */
import { AMOUNT_TOO_LARGE, OK, ZERO_AMOUNT } from '../errors';

export const SUPPLY_MAX: u64 = 20_000_000_000_000_000;

export function checkAmount(amount: u64): i32 {
  if (amount == 0) return ZERO_AMOUNT;
  return amount > SUPPLY_MAX ? AMOUNT_TOO_LARGE : OK;
}
