/**
 * Merges outputs: as many as one transaction takes become one at a fresh change address. Merging pays nobody.
 */
import { formatAmount } from 'svc-wasm';
import { batchesOf } from '../spend/plan.ts';
import type { Workbench } from '../spend/workbench.ts';
import type { Coin } from '../state/outputs.ts';
import type { MadeTransaction } from './record.ts';

/** Transactions that merge the coins, each as many as it can; a lone coin is left alone. */
export async function mergeOutputs(
  bench: Workbench,
  coins: readonly Coin[],
): Promise<MadeTransaction[]> {
  const made: MadeTransaction[] = [];
  for (const some of batchesOf(coins, bench.context)) {
    if (some.length < 2) continue;
    const to = bench.takeChangeAddress();
    const plan = await bench.planSweep(to, some);
    const amount = plan.payments.reduce((sum, payment) => sum + payment.amount, 0n);
    const recipients = [{ to, amount: formatAmount(String(amount)) }];
    made.push({ kind: 'compound', built: bench.build(plan), amount, recipients });
  }
  return made;
}
