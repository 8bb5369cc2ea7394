/**
 * The method `split`: turns large outputs into those that a float lacks. It pays nobody. A call makes what can be made of
 * outputs that are final; where many are missing, further calls split the parts again.
 */
import { formatAmount } from 'svc-wasm';
import { WalletError } from '../base/wallet-error.ts';
import type { Made, MadeTransaction } from '../journal/record.ts';
import type { PaymentBuilder } from '../spend/payment-builder.ts';
import { payingMethod } from './method.ts';
import { sumsOf } from './outgoing.ts';
import { atomsOf } from './params.ts';

/** Transactions of one call. */
const TRANSACTIONS_MAX = 64;

export interface KeptFloat {
  readonly count: number;
  /** Atoms. */
  readonly amount: string;
}

export const split = payingMethod('split', {
  read: (_, { amount, count }): KeptFloat => ({ count, amount: atomsOf(amount, 'amount') }),
  make: makeSplit,
});

/** Small outputs are split first: parts of an earlier split are, and the largest output is left for large payments. */
async function makeSplit(builder: PaymentBuilder, { amount, count }: KeptFloat): Promise<Made> {
  const { missing, piece } = builder.needOf({ count, amount: BigInt(amount) });
  const transactions: MadeTransaction[] = [];
  let left = missing;
  for (const coin of left === 0
    ? []
    : builder.state.outputs.freeAtLeast(2n * piece, TRANSACTIONS_MAX)) {
    if (left === 0) break;
    const { gained, plan } = await builder.planSplit(coin, { missing: left, piece });
    if (gained === 0) continue;
    left -= gained;
    const value = plan.change.reduce((sum, part) => sum + part, 0n);
    const recipients = plan.change.map((part) => ({ amount: formatAmount(String(part)) }));
    transactions.push({ kind: 'split', built: builder.build(plan), amount: value, recipients });
  }
  if (transactions.length === 0) {
    const message =
      missing === 0 ? 'no output is missing' : 'no output is large enough to be split';
    throw new WalletError('nothing_to_do', message);
  }
  const parts = transactions.reduce((sum, { built }) => sum + built.plan.change.length - 1, 0);
  const result = {
    kind: 'split',
    ...sumsOf(transactions),
    missing: Math.max(0, missing - 1 - parts),
  };
  return { transactions, result };
}
