/**
 * Absent validators are passed over as proposers, by what the chain itself says about who signed.
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
  const everybody = (1n << BigInt(set.stakes.length)) - 1n;
  if (signers.length < cuts) return everybody;
  const seen = signers.slice(-cuts).reduce((all, bitmap) => all | bitmap, 0n);
  return isQuorum(set, stakeOfBitmap(set, seen)) ? seen : everybody;
}
