/**
 * Rows 11 to 15: from prevotes to a precommit, and to the lock that makes it safe.
 */
import { roundTimerMs } from '../base/timing.ts';
import { NIL, NO_ROUND } from '../base/types.ts';
import { hasPolka, polkaCertificate } from '../keeper/keeper-queries.ts';
import { recordOf } from '../keeper/vote-keeper.ts';
import { stakeFor } from '../keeper/vote-table.ts';
import type { FinalityState, ValidValue } from './state.ts';
import type { Row, Rules, Transition } from './transition.ts';
import { voteEffects, withRound } from './transition.ts';

/** Row 11: a quorum prevoted, but not for one value; wait a little, then continue. */
export function setPrevoteTimer(state: FinalityState, rules: Rules): Transition | undefined {
  const { step, round, prevoteTimerSet } = state.round;
  if (step !== 'prevote' || prevoteTimerSet) return undefined;
  const record = recordOf(state.keeper, round);
  if (record === undefined) return undefined;
  if (!rules.guards.quorum(state.context.set, record.prevotes.stake)) return undefined;
  const { height } = state.context;
  const delayMs = roundTimerMs(rules.timing, 'prevote', round);
  return {
    rows: [11],
    state: withRound(state, { prevoteTimerSet: true }),
    effects: [{ type: 'schedule', timer: 'prevote', height, round, delayMs }],
  };
}

/** Rows 12 and 13: a proposal of this round has a polka. The first to see it in time lock it. */
export function lockOnPolka(state: FinalityState, rules: Rules): Transition | undefined {
  const { step, round, polkaSeen, locked } = state.round;
  if (polkaSeen || (step !== 'prevote' && step !== 'precommit')) return undefined;
  const valid = findPolka(state, rules);
  if (valid === undefined) return undefined;
  if (step === 'precommit')
    return { rows: [13], state: withRound(state, { valid, polkaSeen: true }), effects: [] };
  const lock = rules.guards.lockAfterPolka(locked, round, valid.value);
  const change = { step: 'precommit', locked: lock, valid, polkaSeen: true } as const;
  return {
    rows: [12],
    state: withRound(state, change),
    effects: voteEffects(state, 'precommit', valid.value),
  };
}

function findPolka(state: FinalityState, { guards }: Rules): ValidValue | undefined {
  const { keeper } = state;
  const { round } = state.round;
  const record = recordOf(keeper, round);
  if (record === undefined) return undefined;
  for (const { proposal } of record.proposals) {
    const { value, validRound } = proposal;
    if (!hasPolka(keeper, record, value, validRound, guards.quorum)) continue;
    const verdict = state.verdicts.get(value);
    if (verdict === undefined || !guards.judgedValid(verdict)) continue;
    const certificate = polkaCertificate(keeper, round, value, guards.quorum);
    if (certificate !== undefined) return { round, value, certificate };
  }
  return undefined;
}

/** Row 14: most have prevoted nil. */
export function precommitNilOnPolka(state: FinalityState, rules: Rules): Transition | undefined {
  const { step, round } = state.round;
  if (step !== 'prevote') return undefined;
  const record = recordOf(state.keeper, round);
  if (record === undefined) return undefined;
  const stake = stakeFor(record.prevotes, NIL, NO_ROUND);
  return rules.guards.quorum(state.context.set, stake) ? precommitNil(14, state) : undefined;
}

/** Row 15 when the prevote timer runs out, and row 14. */
export function precommitNil(row: Row, state: FinalityState): Transition {
  const effects = voteEffects(state, 'precommit', NIL);
  return { rows: [row], state: withRound(state, { step: 'precommit' }), effects };
}
