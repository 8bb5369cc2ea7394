/**
 * Rows 6 to 10: what to prevote on the proposal of the round, or without one.
 */
import { NIL, NO_ROUND } from '../base/types.ts';
import type { HeldProposal } from '../keeper/round-record.ts';
import { recordOf } from '../keeper/vote-keeper.ts';
import type { FinalityState } from './state.ts';
import type { Row, Rules, Transition } from './transition.ts';
import { voteEffects, withRound } from './transition.ts';

/** Rows 6 and 7 for a fresh proposal, rows 8 and 9 for one proposed again. */
export function prevoteOnProposal(state: FinalityState, rules: Rules): Transition | undefined {
  if (state.round.step !== 'propose') return undefined;
  const held = recordOf(state.keeper, state.round.round)?.proposals[0];
  if (held === undefined) return undefined;
  return held.proposal.validRound === NO_ROUND
    ? prevoteFresh(state, held, rules)
    : prevoteAgain(state, held, rules);
}

function prevoteFresh(
  state: FinalityState,
  { proposal, timely }: HeldProposal,
  { guards }: Rules,
): Transition | undefined {
  const { value } = proposal;
  const verdict = state.verdicts.get(value);
  const { locked } = state.round;
  if (!timely || !guards.mayPrevoteFresh(locked, value)) return prevoteNil(7, state);
  if (verdict === undefined) return undefined;
  if (!guards.judgedValid(verdict)) return prevoteNil(7, state);
  const effects = voteEffects(state, 'prevote', value, NO_ROUND);
  return { rows: [6], state: withRound(state, { step: 'prevote' }), effects };
}

function prevoteAgain(
  state: FinalityState,
  { proposal }: HeldProposal,
  { guards }: Rules,
): Transition | undefined {
  const { value, validRound } = proposal;
  if (!guards.polkaHolds(state.keeper, validRound, value)) return undefined;
  const verdict = state.verdicts.get(value);
  if (!guards.mayPrevoteAgain(state.round.locked, value, validRound)) return prevoteNil(9, state);
  if (verdict === undefined) return undefined;
  if (!guards.judgedValid(verdict)) return prevoteNil(9, state);
  const effects = voteEffects(state, 'prevote', value, validRound);
  return { rows: [8], state: withRound(state, { step: 'prevote' }), effects };
}

/** Row 10 when the propose timer runs out, and the refusing rows 7 and 9. */
export function prevoteNil(row: Row, state: FinalityState): Transition {
  const effects = voteEffects(state, 'prevote', NIL);
  return { rows: [row], state: withRound(state, { step: 'prevote' }), effects };
}
