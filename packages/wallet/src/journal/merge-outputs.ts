/**
 * Merges outputs: as many as one transaction takes become one at a fresh change address. Merging pays nobody.
 */
import { formatAmount } from 'svc-wasm';
import { inputCost } from '../spend/plan.ts';
import type { Workbench } from '../spend/workbench.ts';
import type { Coin } from '../state/outputs.ts';
import type { MadeTransaction } from './record.ts';

/** Transactions that merge the coins, each as many as it can; a lone coin is left alone. */
export async function mergeOutputs(
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
