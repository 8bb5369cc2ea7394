/**
 * Every bound on what the machine holds, and the relations between them.
 */
import { assertInvariant } from './assertion.ts';

export const VALIDATORS_MAX = 64;
export const ROUND_MAX = 0x7fff_ffff;

/** Votes of rounds up to this far ahead are held in full; beyond it one vote per validator. */
export const ROUNDS_AHEAD_MAX = 2;
/** A far vote replaces the held one of its validator if it is this many times as far ahead. */
export const FAR_DISTANCE_FACTOR = 2;
/** Older rounds are dropped; what they could still decide arrives as a certificate. */
export const ROUNDS_BEHIND_MAX = 8;
export const PROPOSALS_PER_ROUND_MAX = 2;
/** The first rounds of the next height are held until that height starts. */
export const NEXT_HEIGHT_ROUNDS_MAX = 2;
/**
 * Rounds of the height before that are held because a header claims them, besides the round of the own certificate: as
 * many as proposals of rounds that may still be voted on can claim.
 */
export const CLAIMED_ROUNDS_MAX = PROPOSALS_PER_ROUND_MAX * (ROUNDS_AHEAD_MAX + 1);
export const SUMMARY_ANSWER_VOTES_MAX = 64;
export const SUMMARY_NEIGHBOURS_MAX = 4;
export const SUMMARY_ROUNDS_MAX = ROUNDS_BEHIND_MAX + 1 + ROUNDS_AHEAD_MAX;
/** Polka certificates held: what the proposals of the window can refer to, and its own rounds. */
export const POLKAS_MAX = 2 * PROPOSALS_PER_ROUND_MAX * SUMMARY_ROUNDS_MAX;
/** More transitions than this in one step mean a rule that does not settle. */
export const TRANSITIONS_PER_STEP_MAX = 64;

assertInvariant(NEXT_HEIGHT_ROUNDS_MAX <= ROUNDS_AHEAD_MAX + 1, 'next height fits the window');
assertInvariant(SUMMARY_ANSWER_VOTES_MAX >= VALIDATORS_MAX, 'one answer can fill a round');
