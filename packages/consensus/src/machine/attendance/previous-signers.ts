/**
 * The header's claim about who signed the cut before it. A validator votes for the header only when it holds the precommit
 * behind every bit, or when a polka shows that more than two thirds vouch for these bytes.
 */
import type { Bitmap, CutId, Round } from '../base/types.ts';
import { isQuorum, isWithinSet, stakeOfBitmap } from '../base/validator-set.ts';
import { hasPolkaInAnyRound } from '../keeper/keeper-queries.ts';
import type { PreviousCommits } from '../keeper/previous-commits.ts';
import { previousSigners } from '../keeper/previous-commits.ts';
import type { VoteKeeper } from '../keeper/vote-keeper.ts';

export interface SignersClaim {
  readonly round: Round;
  readonly signers: Bitmap;
}

export type SignersVerdict =
  | { readonly type: 'held' }
  /** These precommits must be requested; until they arrive the cut is unknown, not invalid. */
  | { readonly type: 'missing'; readonly signers: Bitmap }
  | { readonly type: 'invalid'; readonly reason: 'outside_set' | 'no_quorum' | 'not_empty' };

/** `previous` is `undefined` for the first cut of a chain, whose claim is empty. */
export function checkPreviousSigners(
  previous: PreviousCommits | undefined,
  claim: SignersClaim,
): SignersVerdict {
  if (previous === undefined)
    return claim.signers === 0n ? { type: 'held' } : { type: 'invalid', reason: 'not_empty' };
  if (!isWithinSet(previous.set, claim.signers)) return { type: 'invalid', reason: 'outside_set' };
  if (!isQuorum(previous.set, stakeOfBitmap(previous.set, claim.signers)))
    return { type: 'invalid', reason: 'no_quorum' };
  const missing = claim.signers & ~previousSigners(previous, claim.round);
  return missing === 0n ? { type: 'held' } : { type: 'missing', signers: missing };
}

/**
 * Whether more than two thirds prevoted a cut. The honest ones among them found its claim true, and the first of these held
 * every precommit that it names: a validator that comes later needs none of them.
 */
export function isClaimProven(keeper: VoteKeeper, value: CutId): boolean {
  return hasPolkaInAnyRound(keeper, value, isQuorum);
}
