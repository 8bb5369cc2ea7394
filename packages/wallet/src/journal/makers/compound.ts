/**
 * Merges outputs: up to eight become one at a fresh change address.
 */
import { formatAmount } from 'svc-wasm';
import { WalletError } from '../../base/wallet-error.ts';
import { inputCost } from '../../spend/plan.ts';
import type { Workbench } from '../../spend/workbench.ts';
import type { Coin } from '../../state/outputs.ts';
import type { Made, MadeTransaction } from '../record.ts';

/** Transactions that merge the coins, each as many as it can; a lone coin is left alone. */
export async function planSweepOf(
  bench: Workbench,
  coins: readonly Coin[],
): Promise<MadeTransaction[]> {
  const { inputsMax } = bench.context.terms;
  const made: MadeTransaction[] = [];
  const worthy = coins.filter((coin) => coin.amount > inputCost(coin, bench.context));
  for (let at = 0; at < worthy.length; at += inputsMax) {
    const some = worthy.slice(at, at + inputsMax);
    if (some.length < 2) break;
    const to = bench.takeChangeAddress();
    const plan = await bench.planSweep(to, some);
    const amount = plan.payments.reduce((sum, payment) => sum + payment.amount, 0n);
    const recipients = [{ to, amount: formatAmount(String(amount)) }];
    made.push({ kind: 'compound', built: bench.build(plan), amount, recipients });
  }
  return made;
}

export async function makeCompound(bench: Workbench, coins: readonly Coin[]): Promise<Made> {
  const transactions = await planSweepOf(bench, coins);
  if (transactions.length === 0) {
    throw new WalletError('nothing_to_do', 'there are not two outputs worth merging');
  }
  return { transactions, result: { kind: 'compound', ...sums(transactions) } };
}

/** The figures that results of several transactions share. */
export function sums(transactions: readonly MadeTransaction[]): object {
  const fee = transactions.reduce((sum, { built }) => sum + built.plan.fee, 0n);
  const amount = transactions.reduce((sum, transaction) => sum + transaction.amount, 0n);
  const outputs = transactions.reduce((sum, { built }) => sum + built.plan.coins.length, 0);
  return {
    amount: formatAmount(String(amount)),
    fee: formatAmount(String(fee)),
    fee_per_mass: String(transactions[0]?.built.plan.feePerMass ?? 0n),
    transaction: transactions[0]?.built.transactionId,
    transactions: transactions.map(({ built }) => built.transactionId),
    outputs,
  };
}
