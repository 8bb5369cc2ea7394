/**
 * The conditions on which safety and liveness rest, one function each, so that a test can break each of them on
 * purpose.
 */

import type { CommitCertificate, PolkaCertificate, Vote } from '../base/messages.ts';
import type { RoundTimer } from '../base/timing.ts';
import type { CutId, Round } from '../base/types.ts';
import type { ValidatorSet } from '../base/validator-set.ts';
import { hasHonest, isQuorum } from '../base/validator-set.ts';
import { hasAnyPolka, reachedRound } from '../keeper/keeper-queries.ts';
import type { PreviousCommits } from '../keeper/previous-commits.ts';
import { keepClaimedRound, keepPreviousCommit } from '../keeper/previous-commits.ts';
import type { KeeperChange, VoteKeeper } from '../keeper/vote-keeper.ts';
import { keepPolka } from '../keeper/vote-keeper.ts';
import type { Lock, RoundState } from './state.ts';

export interface Guards {
  quorum(set: ValidatorSet, stake: bigint): boolean;
  /** The highest round that at least one honest validator has reached. */
  reachedRound(set: ValidatorSet, highest: readonly Round[]): Round;
  judgedValid(verdict: 'valid' | 'invalid'): boolean;
  mayPrevoteFresh(locked: Lock | undefined, value: CutId): boolean;
  mayPrevoteAgain(locked: Lock | undefined, value: CutId, validRound: Round): boolean;
  polkaHolds(keeper: VoteKeeper, validRound: Round, value: CutId): boolean;
  keepPolka(keeper: VoteKeeper, polka: PolkaCertificate, validRound: Round): KeeperChange;
  /** Which precommits of the height before are held. */
  keepPreviousCommit(previous: PreviousCommits, vote: Vote): PreviousCommits | undefined;
  keepClaimedRound(
    previous: PreviousCommits,
    certificate: CommitCertificate,
  ): PreviousCommits | undefined;
  lockAfterPolka(locked: Lock | undefined, round: Round, value: CutId): Lock | undefined;
  timerIsDue(state: RoundState, timer: RoundTimer, round: Round): boolean;
}

export const GUARDS: Guards = {
  quorum: isQuorum,
  reachedRound: (set, highest) => reachedRound(set, highest, hasHonest),
  judgedValid: (verdict) => verdict === 'valid',
  mayPrevoteFresh: (locked, value) => locked === undefined || locked.value === value,
  mayPrevoteAgain: (locked, value, validRound) =>
    locked === undefined || locked.round <= validRound || locked.value === value,
  polkaHolds: (keeper, validRound, value) => hasAnyPolka(keeper, validRound, value, isQuorum),
  keepPolka,
  keepPreviousCommit,
  keepClaimedRound,
  lockAfterPolka: (_locked, round, value) => ({ round, value }),
  timerIsDue: (state, timer, round) =>
    round === state.round && (timer === 'precommit' || timer === state.step),
};
