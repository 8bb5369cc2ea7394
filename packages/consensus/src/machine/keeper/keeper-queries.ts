/**
 * Queries of the rules to the keeper: polkas, quorums of precommits, the rounds of other validators.
 */
import { commitCertificateOf, polkaCertificateOf } from '../base/certificate.ts';
import type { CommitCertificate, PolkaCertificate } from '../base/messages.ts';
import type { CutId, Round } from '../base/types.ts';
import { NIL, NO_ROUND } from '../base/types.ts';
import type { ValidatorSet } from '../base/validator-set.ts';
import { stakeOf } from '../base/validator-set.ts';
import type { RoundRecord } from './round-record.ts';
import type { VoteKeeper } from './vote-keeper.ts';
import { recordOf } from './vote-keeper.ts';
import { stakeFor, votesFor } from './vote-table.ts';

export type Threshold = (set: ValidatorSet, stake: bigint) => boolean;

/** Whether more than two thirds prevoted `value` with `validRound`, by votes or by certificate. */
export function hasPolka(
  keeper: VoteKeeper,
  record: RoundRecord,
  value: CutId,
  validRound: Round,
  quorum: Threshold,
): boolean {
  if (quorum(keeper.set, stakeFor(record.prevotes, value, validRound))) return true;
  return keeper.polkas.some(
    (polka) =>
      polka.round === record.round && polka.value === value && polka.validRound === validRound,
  );
}

/** Whether `value` has a polka in `round`, whatever the valid round its prevotes name. */
export function hasAnyPolka(
  keeper: VoteKeeper,
  round: Round,
  value: CutId,
  quorum: Threshold,
): boolean {
  if (keeper.polkas.some((polka) => polka.round === round && polka.value === value)) return true;
  const tallies = recordOf(keeper, round)?.prevotes.tallies ?? [];
  return tallies.some((tally) => tally.value === value && quorum(keeper.set, tally.stake));
}

/** Whether `value` has a polka in whatever round. */
export function hasPolkaInAnyRound(keeper: VoteKeeper, value: CutId, quorum: Threshold): boolean {
  if (keeper.polkas.some((polka) => polka.value === value)) return true;
  return keeper.records.some(({ prevotes }) =>
    prevotes.tallies.some((tally) => tally.value === value && quorum(keeper.set, tally.stake)),
  );
}

/** A polka as a certificate, to answer those who hold another vote of an equivocator. */
export function polkaCertificate(
  keeper: VoteKeeper,
  round: Round,
  value: CutId,
  quorum: Threshold,
): PolkaCertificate | undefined {
  const held = keeper.polkas.find((polka) => polka.round === round && polka.value === value);
  if (held !== undefined) return held;
  const prevotes = recordOf(keeper, round)?.prevotes;
  if (prevotes === undefined) return undefined;
  for (const tally of prevotes.tallies)
    if (tally.value === value && quorum(keeper.set, tally.stake))
      return polkaCertificateOf(votesFor(prevotes, value, tally.validRound), value);
  return undefined;
}

/** The first round of the window, lowest first, in which one cut has a quorum of precommits. */
export function commitCertificate(
  keeper: VoteKeeper,
  quorum: Threshold,
): CommitCertificate | undefined {
  for (const { precommits } of keeper.records) {
    if (!quorum(keeper.set, precommits.stake)) continue;
    for (const { value, stake } of precommits.tallies)
      if (value !== NIL && quorum(keeper.set, stake))
        return commitCertificateOf(votesFor(precommits, value, NO_ROUND), value);
  }
  return undefined;
}

/** The highest round of each validator's votes; `NO_ROUND` for those not heard in this height. */
export function highestRounds(keeper: VoteKeeper): Round[] {
  return keeper.far.map((vote, index) => {
    if (vote !== undefined) return vote.round;
    for (let at = keeper.records.length - 1; at >= 0; at--) {
      const record = keeper.records[at] as RoundRecord;
      if (record.prevotes.slots[index] !== undefined) return record.round;
      if (record.precommits.slots[index] !== undefined) return record.round;
    }
    return NO_ROUND;
  });
}

/** The highest round that validators with more than a third of the stake have reached. */
export function reachedRound(
  set: ValidatorSet,
  highest: readonly Round[],
  honest: Threshold,
): Round {
  let stake = 0n;
  let round = highestBelow(highest, Number.POSITIVE_INFINITY);
  while (round !== NO_ROUND) {
    for (let index = 0; index < highest.length; index++)
      if (highest[index] === round) stake += stakeOf(set, index);
    if (honest(set, stake)) return round;
    round = highestBelow(highest, round);
  }
  return NO_ROUND;
}

/** The highest of some rounds that is lower than a bound. */
function highestBelow(rounds: readonly Round[], bound: number): Round {
  let highest: Round = NO_ROUND;
  for (const round of rounds) if (round > highest && round < bound) highest = round;
  return highest;
}

/** Whether any validator voted in a round above the given one: the cheap test before `reachedRound`. */
export function hasVotesAbove(keeper: VoteKeeper, round: Round): boolean {
  for (let at = keeper.records.length - 1; at >= 0; at--) {
    const { round: above, prevotes, precommits } = keeper.records[at] as RoundRecord;
    if (above <= round) break;
    if (prevotes.voters + precommits.voters > 0n) return true;
  }
  return keeper.far.some((vote) => vote !== undefined);
}
