/**
 * Precommits of the height just decided: the next header names those of one round, and a validator finds its claim true
 * when it holds each of them. Only rounds with a quorum are held, so a minority takes no room by signing in others.
 */
import { votesOf } from '../base/certificate.ts';
import { CLAIMED_ROUNDS_MAX } from '../base/limits.ts';
import type { CommitCertificate, Vote } from '../base/messages.ts';
import type { Bitmap, Round } from '../base/types.ts';
import { isMember, type ValidatorSet } from '../base/validator-set.ts';
import { recordOf, type VoteKeeper } from './vote-keeper.ts';
import { addVote, emptyVoteTable, type VoteTable, votesFor } from './vote-table.ts';

export interface PreviousCommits {
  readonly set: ValidatorSet;
  readonly certificate: CommitCertificate;
  /**
   * Precommits for the decided cut: of the certificate's round, which is never dropped, and of the rounds that headers
   * claimed last, at most `CLAIMED_ROUNDS_MAX`, oldest first.
   */
  readonly tables: ReadonlyMap<Round, VoteTable>;
}

/** What a node knows after a restart: the certificate from its store. */
export function previousCommitsOf(
  set: ValidatorSet,
  certificate: CommitCertificate,
): PreviousCommits {
  const table = tableOf(set, votesOf(certificate));
  return { set, certificate, tables: new Map([[certificate.round, table]]) };
}

export function createPreviousCommits(
  keeper: VoteKeeper,
  certificate: CommitCertificate,
): PreviousCommits {
  const precommits = recordOf(keeper, certificate.round)?.precommits;
  let previous = previousCommitsOf(keeper.set, certificate);
  if (precommits === undefined) return previous;
  for (const vote of votesFor(precommits, certificate.value))
    previous = keepPreviousCommit(previous, vote) ?? previous;
  return previous;
}

/** The store with one more precommit of a held round, or `undefined` if it is not wanted or already held. */
export function keepPreviousCommit(
  previous: PreviousCommits,
  vote: Vote,
): PreviousCommits | undefined {
  const { height, value } = previous.certificate;
  if (vote.kind !== 'precommit' || vote.height !== height || vote.value !== value) return undefined;
  if (!isMember(previous.set, vote.validatorIndex)) return undefined;
  const table = previous.tables.get(vote.round);
  if (table === undefined) return undefined;
  const outcome = addVote(table, previous.set, vote);
  if (outcome.type !== 'counted') return undefined;
  return { ...previous, tables: new Map(previous.tables).set(vote.round, outcome.table) };
}

/**
 * The store with another round that a header claims, whose certificate was checked as a whole, or `undefined` if it is
 * held. The round that was claimed longest ago makes room: the claim of its header has been checked by now.
 */
export function keepClaimedRound(
  previous: PreviousCommits,
  certificate: CommitCertificate,
): PreviousCommits | undefined {
  const { round } = certificate;
  if (previous.tables.has(round)) return undefined;
  const tables = new Map(previous.tables);
  for (const oldest of previous.tables.keys())
    if (tables.size > CLAIMED_ROUNDS_MAX && oldest !== previous.certificate.round)
      tables.delete(oldest);
  return { ...previous, tables: tables.set(round, tableOf(previous.set, votesOf(certificate))) };
}

function tableOf(set: ValidatorSet, votes: readonly Vote[]): VoteTable {
  let table = emptyVoteTable(set);
  for (const vote of votes) {
    const outcome = addVote(table, set, vote);
    if (outcome.type === 'counted') table = outcome.table;
  }
  return table;
}

/** The signers of held precommits for the decided cut in that round: none, or more than two thirds. */
export function previousSigners(previous: PreviousCommits, round: Round): Bitmap {
  return previous.tables.get(round)?.voters ?? 0n;
}

export function previousVotes(previous: PreviousCommits, round: Round): readonly Vote[] {
  const table = previous.tables.get(round);
  return table === undefined ? [] : votesFor(table, previous.certificate.value);
}
