/**
 * Takes a fee out of payments: an equal share of each, the first ones an atom more where it does not divide.
 */
import { WalletError } from '../base/wallet-error.ts';
import type { Payment } from './order.ts';

export function subtractFee(payments: readonly Payment[], fee: bigint): Payment[] {
  const count = BigInt(payments.length);
  return payments.map((payment, at) => {
    const share = fee / count + (BigInt(at) < fee % count ? 1n : 0n);
    if (payment.amount > share) return { ...payment, amount: payment.amount - share };
    throw new WalletError(
      'amount_below_fee',
      `${payment.amount} atoms do not cover ${share} of fee`,
      {
        path: payments.length === 1 ? 'amount' : `recipients[${at}].amount`,
      },
    );
  });
}
