/**
 * The votes of one kind in one round: one slot per validator, and running sums per outcome.
 * A second, different vote of a validator is reported and never counted.
 */
import type { Vote } from '../base/messages.ts';
import { sameSignedBytes } from '../base/messages.ts';
import type { Bitmap, Round, Value } from '../base/types.ts';
import { NO_ROUND } from '../base/types.ts';
import type { ValidatorSet } from '../base/validator-set.ts';
import { bitOf, stakeOf } from '../base/validator-set.ts';

export interface Tally {
  readonly value: Value;
  readonly validRound: Round;
  readonly stake: bigint;
}

export interface VoteTable {
  readonly slots: readonly (Vote | undefined)[];
  readonly voters: Bitmap;
  /** The stake of all voters, whatever they voted for. */
  readonly stake: bigint;
  readonly tallies: readonly Tally[];
}

export type VoteOutcome =
  | { readonly type: 'counted'; readonly table: VoteTable }
  | { readonly type: 'repeated' }
  | { readonly type: 'conflict'; readonly first: Vote };

export function emptyVoteTable(set: ValidatorSet): VoteTable {
  return {
    slots: new Array(set.stakes.length).fill(undefined),
    voters: 0n,
    stake: 0n,
    tallies: [],
  };
}

export function addVote(table: VoteTable, set: ValidatorSet, vote: Vote): VoteOutcome {
  const first = table.slots[vote.validatorIndex];
  if (first !== undefined)
    return sameSignedBytes(first, vote) ? { type: 'repeated' } : { type: 'conflict', first };
  const stake = stakeOf(set, vote.validatorIndex);
  const slots = table.slots.slice();
  slots[vote.validatorIndex] = vote;
  return {
    type: 'counted',
    table: {
      slots,
      voters: table.voters | bitOf(vote.validatorIndex),
      stake: table.stake + stake,
      tallies: addToTallies(table.tallies, vote, stake),
    },
  };
}

function addToTallies(tallies: readonly Tally[], vote: Vote, stake: bigint): Tally[] {
  const { value, validRound } = vote;
  for (let at = 0; at < tallies.length; at++) {
    const tally = tallies[at] as Tally;
    if (tally.value !== value || tally.validRound !== validRound) continue;
    const changed = tallies.slice();
    changed[at] = { value, validRound, stake: tally.stake + stake };
    return changed;
  }
  return [...tallies, { value, validRound, stake }];
}

export function stakeFor(table: VoteTable, value: Value, validRound: Round = NO_ROUND): bigint {
  for (const tally of table.tallies)
    if (tally.value === value && tally.validRound === validRound) return tally.stake;
  return 0n;
}

export function votesFor(table: VoteTable, value: Value, validRound: Round = NO_ROUND): Vote[] {
  return table.slots.filter(
    (vote): vote is Vote =>
      vote !== undefined && vote.value === value && vote.validRound === validRound,
  );
}
