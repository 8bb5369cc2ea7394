/**
 * When a submission takes the place of waiting transactions that spend the same outputs. It must pay a better rate than
 * each of them, so that blocks gain by it, and in all what they pay together and the least fee for its own mass, so that
 * a client that replaces again and again pays for what the network carries. Which of them is executed is for the chain to say.
 */
import type { PoolIndex } from './pool-index.ts';
import type { PooledTransaction, SubmittedTransaction } from './pooled-transaction.ts';
import { compareRates } from './rate-order.ts';
import { type Refused, refuse } from './refusals.ts';

/** The waiting transactions that spend an output which the submission spends: at most one for each of its inputs. */
export function rivalsOf(
  index: PoolIndex,
  { outpoints }: Pick<SubmittedTransaction, 'outpoints'>,
): ReadonlySet<PooledTransaction> {
  const rivals = new Set<PooledTransaction>();
  for (const outpoint of outpoints) {
    const spender = index.spenderOf(outpoint);
    if (spender !== undefined) rivals.add(spender);
  }
  return rivals;
}

/** Why the rivals of a submission stay, or null if it takes their place or has none. */
export function replacementFault(
  index: PoolIndex,
  submitted: SubmittedTransaction,
  fee: bigint,
  minFeePerMass: bigint,
): Refused | null {
  const rivals = rivalsOf(index, submitted);
  if (rivals.size === 0) return null;
  const { mass } = submitted.transaction;
  let least = mass * minFeePerMass;
  for (const rival of rivals) least += rival.fee;
  const stays = [...rivals].find((rival) => compareRates({ fee, mass }, rival) >= 0);
  if (stays === undefined && fee >= least) return null;
  const { outpoints } = submitted;
  const place = outpoints.findIndex((outpoint) => {
    const spender = index.spenderOf(outpoint);
    return spender !== undefined && (stays === undefined || spender === stays);
  });
  const { id } = index.spenderOf(outpoints[place] as string) as PooledTransaction;
  const needed = `a fee of at least ${least} atoms and a better rate take its place`;
  return refuse('conflict', `${id} waits and spends it: ${needed}`, `inputs[${place}]`);
}
