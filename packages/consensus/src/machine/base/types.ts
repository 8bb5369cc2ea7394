/**
 * The nouns of agreement: heights, rounds, steps and the values voted on.
 * A round is never tested for truthiness (round 0 is falsy): compare with `NO_ROUND` or `>= 0`.
 */
declare const brand: unique symbol;

export type Height = number & { readonly [brand]: 'Height' };
export type Round = number & { readonly [brand]: 'Round' };
/** The 96 lower-case hexadecimal characters of a cut id. */
export type CutId = string & { readonly [brand]: 'CutId' };
/** What a vote is for: a cut, or nothing in this round. */
export type Value = CutId | typeof NIL;
/** The index of a validator in the validator set of a height. */
export type ValidatorIndex = number;
/** One bit per validator of a set, the lowest for index 0. */
export type Bitmap = bigint;

export const NIL = null;
export const NO_ROUND: Round = -1 as Round;
export const FIRST_ROUND: Round = 0 as Round;

export type VoteKind = 'prevote' | 'precommit';
export type Step = 'unstarted' | 'propose' | 'prevote' | 'precommit' | 'decided';

export function height(value: number): Height {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`height ${value} is not a non-negative safe integer`);
  return value as Height;
}

export function round(value: number): Round {
  if (!Number.isSafeInteger(value) || value < -1 || value > 0x7fff_ffff)
    throw new RangeError(`round ${value} is not an integer from -1 to ${0x7fff_ffff}`);
  return value as Round;
}

export function nextRound(after: Round): Round {
  return (after + 1) as Round;
}

export function nextHeight(after: Height): Height {
  return (after + 1) as Height;
}
