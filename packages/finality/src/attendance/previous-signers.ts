/**
 * The header's claim about who signed the cut before it. A validator votes for the header only when
 * it holds the precommit behind every bit, so more than two thirds vouch for eight bytes.
 */
import type { Bitmap, Round } from '../base/types.ts';
import { isQuorum, isWithinSet, stakeOfBitmap } from '../base/validator-set.ts';
import type { PreviousCommits } from '../keeper/previous-commits.ts';
import { previousSigners } from '../keeper/previous-commits.ts';

export interface SignersClaim {
  readonly round: Round;
  readonly signers: Bitmap;
}

export type SignersVerdict =
  | { readonly type: 'held' }
  /** These precommits are to be asked for; until they are here the cut is unknown, not invalid. */
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
