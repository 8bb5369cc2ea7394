/**
 * One row of the table firing, and the row it leads to if any: their numbers, the state after them and their effects.
 */
import { assertInvariant } from '../base/assertion.ts';
import type { UnsignedMessage, UnsignedProposal } from '../base/messages.ts';
import type { Timing } from '../base/timing.ts';
import type { CutId, Round, Value, VoteKind } from '../base/types.ts';
import { NO_ROUND } from '../base/types.ts';
import type { Effect } from './effects.ts';
import type { Guards } from './guards.ts';
import type { FinalityState, RoundState } from './state.ts';

/** The rows of the transition table, as numbered in docs/concepts/finality.md. */
export const ROWS = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
] as const;

export type Row = (typeof ROWS)[number];

export interface Transition {
  readonly rows: readonly Row[];
  readonly state: FinalityState;
  readonly effects: readonly Effect[];
}

export interface Rules {
  readonly guards: Guards;
  readonly timing: Timing;
}

export function withRound(state: FinalityState, change: Partial<RoundState>): FinalityState {
  const round = { ...state.round, ...change };
  assertInvariant(round.round >= state.round.round, 'rounds only grow', 'round_regression');
  assertInvariant(
    round.locked === undefined || round.locked.round <= round.round,
    `locked in round ${round.locked?.round} while in round ${round.round}`,
    'lock_beyond_round',
  );
  return { ...state, round, progress: state.progress + 1 };
}

/** Everything appended so far is on disk before a signature exists. */
export function signEffects(
  state: FinalityState,
  message: Omit<UnsignedMessage, 'validatorIndex'>,
): Effect[] {
  const { self } = state.context;
  if (self === undefined) return [];
  const { kind, height, round, validRound, value } = message;
  const own = { kind, height, round, validRound, value, validatorIndex: self } as UnsignedMessage;
  return [{ type: 'sync' }, { type: 'sign', message: own }];
}

export function voteEffects(
  state: FinalityState,
  kind: VoteKind,
  value: Value,
  validRound: Round = NO_ROUND,
): Effect[] {
  const { height } = state.context;
  return signEffects(state, { kind, height, round: state.round.round, validRound, value });
}

export function proposalEffects(state: FinalityState, value: CutId, validRound: Round): Effect[] {
  const { height } = state.context;
  const message: Omit<UnsignedProposal, 'validatorIndex'> = {
    kind: 'proposal',
    height,
    round: state.round.round,
    validRound,
    value,
  };
  return signEffects(state, message);
}
