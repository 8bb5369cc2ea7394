/**
 * The driver: after an input has been recorded, the rows that became possible fire in one fixed
 * order until none is left, so that equal inputs give equal states everywhere.
 */
import { assertInvariant } from '../base/assertion.ts';
import { TRANSITIONS_PER_STEP_MAX } from '../base/limits.ts';
import type { Effect } from './effects.ts';
import { decideOnQuorum } from './rows-decide.ts';
import { leaveNilRound, setPrecommitTimer, skipToRound } from './rows-next-round.ts';
import { adoptEarlierPolka } from './rows-polka.ts';
import { lockOnPolka, precommitNilOnPolka, setPrevoteTimer } from './rows-precommit.ts';
import { prevoteOnProposal } from './rows-prevote.ts';
import type { FinalityState } from './state.ts';
import type { Row, Rules, Transition } from './transition.ts';

type RowRule = (state: FinalityState, rules: Rules) => Transition | undefined;

const ORDER: readonly RowRule[] = [
  decideOnQuorum, // 20, 21
  adoptEarlierPolka, // 22
  skipToRound, // 19
  prevoteOnProposal, // 6, 7, 8, 9
  lockOnPolka, // 12, 13
  precommitNilOnPolka, // 14
  setPrevoteTimer, // 11
  leaveNilRound, // 17
  setPrecommitTimer, // 16
];

/** What one step has done so far. */
export interface Progress {
  state: FinalityState;
  readonly effects: Effect[];
  readonly rows: Row[];
}

export function apply(progress: Progress, transition: Transition): void {
  progress.state = transition.state;
  progress.effects.push(...transition.effects);
  progress.rows.push(...transition.rows);
}

export function settle(progress: Progress, rules: Rules): void {
  for (let count = 0; progress.state.round.step !== 'decided'; count++) {
    assertInvariant(count < TRANSITIONS_PER_STEP_MAX, 'the rows settle', 'unbounded');
    const transition = firstEnabled(progress.state, rules);
    if (transition === undefined) return;
    apply(progress, transition);
  }
}

function firstEnabled(state: FinalityState, rules: Rules): Transition | undefined {
  for (const rule of ORDER) {
    const transition = rule(state, rules);
    if (transition !== undefined) return transition;
  }
  return undefined;
}
