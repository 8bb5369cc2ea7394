/**
 * The precommits of the height just decided, which keep arriving: the next header says who signed,
 * and a validator votes for it only if it holds every signature the header claims.
 */
import { votesOf } from '../base/certificate.ts';
import { SUMMARY_ROUNDS_MAX } from '../base/limits.ts';
import type { CommitCertificate, Vote } from '../base/messages.ts';
import type { Bitmap, Round } from '../base/types.ts';
import { NO_ROUND } from '../base/types.ts';
import type { ValidatorSet } from '../base/validator-set.ts';
import { isMember } from '../base/validator-set.ts';
import type { VoteKeeper } from './vote-keeper.ts';
import { createVoteKeeper } from './vote-keeper.ts';
import type { VoteTable } from './vote-table.ts';
import { addVote, emptyVoteTable, votesFor } from './vote-table.ts';

export interface PreviousCommits {
  readonly set: ValidatorSet;
  readonly certificate: CommitCertificate;
  /** Precommits for the decided cut, by round, at most `SUMMARY_ROUNDS_MAX` rounds. */
  readonly tables: ReadonlyMap<Round, VoteTable>;
}

export function createPreviousCommits(
  keeper: VoteKeeper,
  certificate: CommitCertificate,
): PreviousCommits {
  const tables = new Map<Round, VoteTable>();
  const previous: PreviousCommits = { set: keeper.set, certificate, tables };
  const keep = (vote: Vote): void => {
    const table = tableWith(previous, vote);
    if (table !== undefined) tables.set(vote.round, table);
  };
  for (const vote of votesOf(certificate)) keep(vote);
  for (const { precommits } of keeper.records)
    for (const vote of votesFor(precommits, certificate.value)) keep(vote);
  return previous;
}

/** What a node knows after a restart: the certificate from its store. */
export function previousCommitsOf(
  set: ValidatorSet,
  certificate: CommitCertificate,
): PreviousCommits {
  return createPreviousCommits(createVoteKeeper(set, NO_ROUND), certificate);
}

/** The store with one more precommit, or `undefined` if it is not wanted or already held. */
export function keepPreviousCommit(
  previous: PreviousCommits,
  vote: Vote,
): PreviousCommits | undefined {
  const table = tableWith(previous, vote);
  if (table === undefined) return undefined;
  return { ...previous, tables: new Map(previous.tables).set(vote.round, table) };
}

/** The precommits of a vote's round with the vote, or `undefined` if it is not wanted or already held. */
function tableWith(previous: PreviousCommits, vote: Vote): VoteTable | undefined {
  const { height, value } = previous.certificate;
  if (vote.kind !== 'precommit' || vote.height !== height || vote.value !== value) return undefined;
  if (!isMember(previous.set, vote.validatorIndex)) return undefined;
  if (!hasRoomFor(previous, vote.round)) return undefined;
  const table = previous.tables.get(vote.round);
  const outcome = addVote(table ?? emptyVoteTable(previous.set), previous.set, vote);
  return outcome.type === 'counted' ? outcome.table : undefined;
}

/** Whether precommits of a round are kept: only so many rounds are. */
export function hasRoomFor({ tables }: PreviousCommits, round: Round): boolean {
  return tables.has(round) || tables.size < SUMMARY_ROUNDS_MAX;
}

/** Whose precommit for the decided cut in that round is held. */
export function previousSigners(previous: PreviousCommits, round: Round): Bitmap {
  return previous.tables.get(round)?.voters ?? 0n;
}

export function previousVotes(previous: PreviousCommits, round: Round): readonly Vote[] {
  const table = previous.tables.get(round);
  return table === undefined ? [] : votesFor(table, previous.certificate.value);
}

/** Every precommit that is held for the decided cut, whatever its round. */
export function allPreviousVotes(previous: PreviousCommits): readonly Vote[] {
  return [...previous.tables.keys()].flatMap((round) => previousVotes(previous, round));
}
