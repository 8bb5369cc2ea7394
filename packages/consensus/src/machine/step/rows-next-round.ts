/**
 * Rows 16 to 19: how a round that decided nothing ends.
 */
import { roundTimerMs } from '../base/timing.ts';
import { NIL, NO_ROUND, nextRound } from '../base/types.ts';
import { hasVotesAbove, highestRounds } from '../keeper/keeper-queries.ts';
import { recordOf } from '../keeper/vote-keeper.ts';
import { stakeFor } from '../keeper/vote-table.ts';
import { startRound } from './rows-start.ts';
import type { FinalityState } from './state.ts';
import type { Rules, Transition } from './transition.ts';
import { withRound } from './transition.ts';

/** Row 16: most have precommitted, but not for one value. */
export function setPrecommitTimer(state: FinalityState, rules: Rules): Transition | undefined {
  const { round, precommitTimerSet } = state.round;
  if (round === NO_ROUND || precommitTimerSet) return undefined;
  const record = recordOf(state.keeper, round);
  if (record === undefined) return undefined;
  if (!rules.guards.quorum(state.context.set, record.precommits.stake)) return undefined;
  const { height } = state.context;
  const delayMs = roundTimerMs(rules.timing, 'precommit', round);
  return {
    rows: [16],
    state: withRound(state, { precommitTimerSet: true }),
    effects: [{ type: 'schedule', timer: 'precommit', height, round, delayMs }],
  };
}

/** Row 17: most have precommitted nil; there is nothing to wait for. */
export function leaveNilRound(state: FinalityState, rules: Rules): Transition | undefined {
  const { round } = state.round;
  if (round === NO_ROUND) return undefined;
  const record = recordOf(state.keeper, round);
  if (record === undefined) return undefined;
  if (!rules.guards.quorum(state.context.set, stakeFor(record.precommits, NIL))) return undefined;
  return startRound(17, state, nextRound(round), rules);
}

/** Row 18: the precommit timer ran out. */
export function leaveRoundOnTimer(state: FinalityState, rules: Rules): Transition {
  return startRound(18, state, nextRound(state.round.round), rules);
}

/** Row 19: an honest validator is in a later round already. */
export function skipToRound(state: FinalityState, rules: Rules): Transition | undefined {
  const { keeper } = state;
  const { round } = state.round;
  if (!hasVotesAbove(keeper, round)) return undefined;
  const reached = rules.guards.reachedRound(state.context.set, highestRounds(keeper));
  return reached > round ? startRound(19, state, reached, rules) : undefined;
}
