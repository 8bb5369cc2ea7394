/**
 * The votes and proposals of one height, bounded: a window of rounds in full, and beyond it one
 * vote of each validator, which is enough to know roughly where the others are.
 */

import {
  FAR_DISTANCE_FACTOR,
  POLKAS_MAX,
  PROPOSALS_PER_ROUND_MAX,
  ROUNDS_AHEAD_MAX,
  ROUNDS_BEHIND_MAX,
} from '../base/limits.ts';
import type { PolkaCertificate, SignedMessage, Vote } from '../base/messages.ts';
import { sameSignedBytes } from '../base/messages.ts';
import type { Round, ValidatorIndex } from '../base/types.ts';
import type { ValidatorSet } from '../base/validator-set.ts';
import { bitOf, isBitSet } from '../base/validator-set.ts';
import type { HeldProposal, RoundRecord } from './round-record.ts';
import { accusedOf, emptyRoundRecord } from './round-record.ts';
import { addVote } from './vote-table.ts';

export interface VoteKeeper {
  readonly set: ValidatorSet;
  /** The round at the centre of the window. */
  readonly round: Round;
  /** Ascending by round, each within the window. */
  readonly records: readonly RoundRecord[];
  /** Polkas taken whole from certificates: of rounds in the window, or that a proposal refers to. */
  readonly polkas: readonly PolkaCertificate[];
  /** One vote of each validator beyond the window; see `isFarVoteWanted`. */
  readonly far: readonly (Vote | undefined)[];
}

/** Two different messages of one validator for one (height, round, kind). */
export interface Conflict {
  readonly first: SignedMessage;
  readonly second: SignedMessage;
}

export interface KeeperChange {
  readonly keeper: VoteKeeper;
  readonly changed: boolean;
  readonly conflict: Conflict | undefined;
}

export function createVoteKeeper(set: ValidatorSet, round: Round): VoteKeeper {
  return { set, round, records: [], polkas: [], far: new Array(set.stakes.length).fill(undefined) };
}

export function recordOf(keeper: VoteKeeper, round: Round): RoundRecord | undefined {
  for (const record of keeper.records) if (record.round === round) return record;
  return undefined;
}

export function isInWindow(keeper: VoteKeeper, round: Round): boolean {
  const base = Math.max(keeper.round, 0);
  return round >= base - ROUNDS_BEHIND_MAX && round <= base + ROUNDS_AHEAD_MAX;
}

export function keepVote(keeper: VoteKeeper, vote: Vote): KeeperChange {
  if (!isInWindow(keeper, vote.round)) return keepFarVote(keeper, vote);
  const record = recordOf(keeper, vote.round) ?? emptyRoundRecord(keeper.set, vote.round);
  const table = vote.kind === 'prevote' ? record.prevotes : record.precommits;
  const outcome = addVote(table, keeper.set, vote);
  switch (outcome.type) {
    case 'repeated':
      return unchanged(keeper);
    case 'conflict':
      return accuse(keeper, record, { first: outcome.first, second: vote });
    case 'counted': {
      const { round, proposals, accused } = record;
      const prevotes = vote.kind === 'prevote' ? outcome.table : record.prevotes;
      const precommits = vote.kind === 'prevote' ? record.precommits : outcome.table;
      return changedTo(putRecord(keeper, { round, proposals, prevotes, precommits, accused }));
    }
  }
}

/**
 * Whether a vote beyond the window is held: if it is the first of its validator, or at least twice as far ahead as the
 * held one. In one round of ours a validator has at most log2 of the highest round of them checked and logged; each round
 * that we advance lets one more in.
 *
 * A node that is d rounds behind still joins. Of a validator whose vote d ahead was refused, one more than d / 2 ahead is
 * held. So once each of more than a third of the stake has shown us a vote at least d ahead, row 19 takes us more than
 * d / 2 rounds on, and distances count from there: the votes that validators repeat bring us into the window within
 * log2(d) repetitions.
 */
export function isFarVoteWanted(keeper: VoteKeeper, { round, validatorIndex }: Vote): boolean {
  const base = Math.max(keeper.round, 0);
  if (round <= base + ROUNDS_AHEAD_MAX) return false;
  const held = keeper.far[validatorIndex];
  return held === undefined || round - base >= FAR_DISTANCE_FACTOR * (held.round - base);
}

function keepFarVote(keeper: VoteKeeper, vote: Vote): KeeperChange {
  if (!isFarVoteWanted(keeper, vote)) return unchanged(keeper);
  const far = keeper.far.slice();
  far[vote.validatorIndex] = vote;
  return changedTo({ ...keeper, far });
}

export function keepProposal(keeper: VoteKeeper, held: HeldProposal): KeeperChange {
  const { proposal } = held;
  if (!isInWindow(keeper, proposal.round)) return unchanged(keeper);
  const record = recordOf(keeper, proposal.round) ?? emptyRoundRecord(keeper.set, proposal.round);
  if (record.proposals.some((other) => sameSignedBytes(other.proposal, proposal)))
    return unchanged(keeper);
  if (record.proposals.length >= PROPOSALS_PER_ROUND_MAX) return unchanged(keeper);
  const kept = { ...record, proposals: [...record.proposals, held] };
  const first = record.proposals[0]?.proposal;
  if (first === undefined) return changedTo(putRecord(keeper, kept));
  return { ...accuse(keeper, kept, { first, second: proposal }), changed: true };
}

/**
 * Applies a verified polka as a whole: it bypasses the slots of single votes. `validRound` is the round of the latest
 * known polka.
 */
export function keepPolka(
  keeper: VoteKeeper,
  polka: PolkaCertificate,
  validRound: Round,
): KeeperChange {
  if (!isPolkaWanted(keeper, polka, validRound)) return unchanged(keeper);
  const known = keeper.polkas.some(
    (other) =>
      other.round === polka.round &&
      other.value === polka.value &&
      other.validRound === polka.validRound,
  );
  if (known || keeper.polkas.length >= POLKAS_MAX) return unchanged(keeper);
  return changedTo({ ...keeper, polkas: [...keeper.polkas, polka] });
}

/** A polka is kept while it is in the window, the latest one, or referred to by a held proposal. */
export function isPolkaWanted(
  keeper: VoteKeeper,
  { round, value }: Pick<PolkaCertificate, 'round' | 'value'>,
  validRound: Round,
): boolean {
  if (isInWindow(keeper, round) || (round > validRound && round < keeper.round)) return true;
  return keeper.records.some((record) =>
    record.proposals.some(
      ({ proposal }) => proposal.validRound === round && proposal.value === value,
    ),
  );
}

/** Moves the window to a new round: drops votes behind it, and adds far votes that it now covers. */
export function moveWindow(keeper: VoteKeeper, round: Round, validRound: Round): VoteKeeper {
  let moved: VoteKeeper = { ...keeper, round };
  moved = { ...moved, records: keeper.records.filter((record) => isInWindow(moved, record.round)) };
  const polkas = keeper.polkas.filter((polka) => isPolkaWanted(moved, polka, validRound));
  const reached = keeper.far.filter(
    (vote): vote is Vote => vote !== undefined && vote.round <= round + ROUNDS_AHEAD_MAX,
  );
  if (reached.length === 0) return { ...moved, polkas };
  const far = keeper.far.map((vote) => (vote && reached.includes(vote) ? undefined : vote));
  moved = { ...moved, polkas, far };
  for (const vote of reached)
    if (isInWindow(moved, vote.round)) moved = keepVote(moved, vote).keeper;
  return moved;
}

export function isAccused(
  keeper: VoteKeeper,
  round: Round,
  kind: SignedMessage['kind'],
  index: ValidatorIndex,
): boolean {
  const record = recordOf(keeper, round);
  return record !== undefined && isBitSet(accusedOf(record, kind), index);
}

function accuse(keeper: VoteKeeper, record: RoundRecord, conflict: Conflict): KeeperChange {
  const { kind, validatorIndex } = conflict.second;
  const before = accusedOf(record, kind);
  if (isBitSet(before, validatorIndex)) return unchanged(keeper);
  const accused = { ...record.accused, [kind]: before | bitOf(validatorIndex) };
  return { keeper: putRecord(keeper, { ...record, accused }), changed: false, conflict };
}

function putRecord(keeper: VoteKeeper, record: RoundRecord): VoteKeeper {
  const { set, round, polkas, far } = keeper;
  const records = keeper.records.slice();
  let at = 0;
  while (at < records.length && (records[at] as RoundRecord).round < record.round) at++;
  if (at === records.length) records.push(record);
  else if (records[at]?.round === record.round) records[at] = record;
  else records.splice(at, 0, record);
  return { set, round, records, polkas, far };
}

function unchanged(keeper: VoteKeeper): KeeperChange {
  return { keeper, changed: false, conflict: undefined };
}

function changedTo(keeper: VoteKeeper): KeeperChange {
  return { keeper, changed: true, conflict: undefined };
}
