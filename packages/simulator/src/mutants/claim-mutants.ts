/**
 * Broken rules of how validators come to hold the precommits that a header claims.
 */
import {
  admit,
  type FinalityState,
  keepClaimedRound,
  keepPreviousCommit,
  limits,
  type PreviousCommits,
  type SignedMessage,
  type Vote,
} from 'svc-consensus/machine';
import { PROTOCOL } from '../world/protocol.ts';
import type { Mutant } from './mutant.ts';
import { guardMutant, mutant } from './mutant.ts';

const { rules } = PROTOCOL;

export const CLAIM_MUTANTS: readonly Mutant[] = [
  mutant('lateRoundsAsTheyCome', 'rounds of late precommits are held as they come, up to a limit', {
    admit: (state, message) => (isFirstOfRound(state, message) ? 'verify' : admit(state, message)),
    rules: {
      ...rules,
      guards: {
        ...rules.guards,
        keepPreviousCommit: (previous, vote) =>
          keepPreviousCommit(previous, vote) ??
          (hasRoomFor(previous, vote.round) ? withRoundOf(previous, vote) : undefined),
        keepClaimedRound: (previous, certificate) =>
          hasRoomFor(previous, certificate.round)
            ? keepClaimedRound(previous, certificate)
            : undefined,
      },
    },
  }),
  guardMutant('claimedRoundsRefused', 'nothing but the round of the own certificate is held', {
    keepClaimedRound: () => undefined,
  }),
];

function isFirstOfRound({ previous, context }: FinalityState, message: SignedMessage): boolean {
  if (previous === undefined || message.kind !== 'precommit') return false;
  if (message.height !== context.height - 1 || message.value !== previous.certificate.value)
    return false;
  return hasRoomFor(previous, message.round);
}

function hasRoomFor({ tables }: PreviousCommits, round: Vote['round']): boolean {
  return !tables.has(round) && tables.size <= limits.CLAIMED_ROUNDS_MAX;
}

function withRoundOf(previous: PreviousCommits, vote: Vote): PreviousCommits | undefined {
  const { set, certificate, tables } = previous;
  if (vote.height !== certificate.height || vote.value !== certificate.value) return undefined;
  const slots = set.stakes.map((_, index) => (index === vote.validatorIndex ? vote : undefined));
  const { value, validRound, validatorIndex } = vote;
  const stake = set.stakes[validatorIndex] ?? 0n;
  const table = {
    slots,
    voters: 1n << BigInt(validatorIndex),
    stake,
    tallies: [{ value, validRound, stake }],
  };
  return { ...previous, tables: new Map(tables).set(vote.round, table) };
}
