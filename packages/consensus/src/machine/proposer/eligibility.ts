/**
 * Absent validators are skipped as proposers, according to the signers that the chain itself names.
 * A single proposer cannot unseat another: every header of the span would have to omit its bit.
 */
import type { Bitmap } from '../base/types.ts';
import type { ValidatorSet } from '../base/validator-set.ts';
import { isQuorum, stakeOfBitmap } from '../base/validator-set.ts';

/** Headers of cuts h-33 to h-2 count for height h. */
export const ELIGIBILITY_CUTS = 32;
export const ELIGIBILITY_LAG = 2;

/**
 * The eligible validators as a bitmap. `signers` are the bitmaps in the headers of the span; if the span is
 * incomplete or holds no quorum, all are eligible.
 */
export function eligibleProposers(
  set: ValidatorSet,
  signers: readonly Bitmap[],
  cuts: number = ELIGIBILITY_CUTS,
): Bitmap {
  const all = (1n << BigInt(set.stakes.length)) - 1n;
  if (signers.length < cuts) return all;
  const seen = signers.slice(-cuts).reduce((union, bitmap) => union | bitmap, 0n);
  return isQuorum(set, stakeOfBitmap(set, seen)) ? seen : all;
}
