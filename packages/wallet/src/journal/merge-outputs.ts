/**
 * Merges outputs: as many as one transaction takes become one at a fresh change address. Merging pays nobody. Before a
 * payment that needs too many outputs the largest are merged, in rounds, until one transaction can make it.
 */
import { formatAmount } from 'svc-wasm';
import { WalletError } from '../base/wallet-error.ts';
import type { PaymentBuilder } from '../spend/payment-builder.ts';
import { batchesOf } from '../spend/plan.ts';
import type { Coin } from '../state/outputs.ts';
import type { Made, MadeTransaction, Make } from './record.ts';

const TRANSACTIONS_PER_ROUND = 8;
/** More rounds are not foreseen; a payment that needs more is refused. */
const ROUNDS_MAX = 128;

/** A payment that is not made yet, and the merges that come before it. */
export interface Foreseen {
  readonly made: Made;
  readonly merges: readonly MadeTransaction[];
}

/** Transactions that merge the coins, each as many as it can; a lone coin is left alone. */
export async function mergeOutputs(
  builder: PaymentBuilder,
  coins: readonly Coin[],
): Promise<MadeTransaction[]> {
  const made: MadeTransaction[] = [];
  for (const some of batchesOf(coins, builder.context)) {
    if (some.length < 2) continue;
    const to = builder.takeChangeAddress();
    const plan = await builder.planSweep(to, some);
    const amount = plan.payments.reduce((sum, payment) => sum + payment.amount, 0n);
    const recipients = [{ to, amount: formatAmount(String(amount)) }];
    made.push({ kind: 'compound', built: builder.build(plan), amount, recipients });
  }
  return made;
}

/** The next merges for a payment that needs too many outputs: those of the largest. */
export async function mergeLargest(builder: PaymentBuilder): Promise<MadeTransaction[]> {
  const limit = TRANSACTIONS_PER_ROUND * builder.context.terms.inputsMax;
  return await mergeOutputs(builder, builder.largest(limit));
}

export function needsMerging(error: unknown): error is WalletError {
  return error instanceof WalletError && error.kind === 'too_many_inputs';
}

/**
 * Finds out on the builder of a dry run which merges a payment takes and what it then is, as the wallet is now. Throws what
 * the payment would be refused with, before anything is merged for it.
 */
export async function foreseeMerging(builder: PaymentBuilder, make: Make): Promise<Foreseen> {
  const merges: MadeTransaction[] = [];
  for (let rounds = 0; ; rounds++) {
    try {
      return { made: await make(builder), merges };
    } catch (error) {
      if (!needsMerging(error) || rounds === ROUNDS_MAX) throw error;
      const round = await mergeLargest(builder);
      if (round.length === 0) throw error;
      for (const { built } of round) builder.foresee(built);
      merges.push(...round);
      // A long plan keeps nobody else waiting.
      await new Promise((resolve) => void setImmediate(resolve));
    }
  }
}
