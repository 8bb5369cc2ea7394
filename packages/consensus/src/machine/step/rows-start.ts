/**
 * Rows 1 to 5: a height starts, a round starts, the proposer proposes.
 */
import { assertInvariant } from '../base/assertion.ts';
import { roundTimerMs } from '../base/timing.ts';
import type { CutId, Round } from '../base/types.ts';
import { FIRST_ROUND, NO_ROUND } from '../base/types.ts';
import { previousSigners } from '../keeper/previous-commits.ts';
import { moveWindow } from '../keeper/vote-keeper.ts';
import type { Effect } from './effects.ts';
import { adoptEarlierPolka } from './rows-polka.ts';
import type { FinalityState } from './state.ts';
import { proposerOf } from './state.ts';
import type { Row, Rules, Transition } from './transition.ts';
import { proposalEffects, withRound } from './transition.ts';

/** Row 1: the height's time has come. */
export function startFirstRound(state: FinalityState, nowMs: bigint, rules: Rules): Transition {
  const { height, startAtMs } = state.context;
  if (nowMs < startAtMs)
    return { rows: [1], state, effects: [{ type: 'scheduleStart', height, atMs: startAtMs }] };
  return startRound(1, state, FIRST_ROUND, rules);
}

/** Rows 2, 3 and 4, entered from the row that found the round over. */
export function startRound(
  row: Row,
  before: FinalityState,
  round: Round,
  rules: Rules,
): Transition {
  assertInvariant(round > before.round.round, `round ${round} is new`, 'round_regression');
  const moved = withRound(before, {
    round,
    step: 'propose',
    prevoteTimerSet: false,
    polkaSeen: false,
    precommitTimerSet: false,
  });
  const state = forgetOldRounds(adoptEarlierPolka(moved, rules)?.state ?? moved, round);
  const { height, self } = state.context;
  const timer: Effect = {
    type: 'schedule',
    timer: 'propose',
    height,
    round,
    delayMs: roundTimerMs(rules.timing, 'propose', round),
  };
  const effects: Effect[] = [timer];
  if (self === undefined || proposerOf(state.context, round) !== self)
    return { rows: [row, 4], state, effects };
  const { valid } = state.round;
  if (valid !== undefined)
    return {
      rows: [row, 2],
      state,
      effects: [...effects, ...proposalEffects(state, valid.value, valid.round)],
    };
  return { rows: [row, 3], state, effects: [...effects, buildCut(state)] };
}

/** Row 5: the application has built the cut that row 3 asked for. */
export function proposeBuiltCut(
  state: FinalityState,
  round: Round,
  value: CutId,
): Transition | undefined {
  const { step, round: current } = state.round;
  const { self } = state.context;
  if (step !== 'propose' || round !== current || self === undefined) return undefined;
  if (proposerOf(state.context, round) !== self) return undefined;
  const signed = state.own.some((own) => own.kind === 'proposal' && own.round === round);
  if (signed) return undefined;
  const verdicts = new Map(state.verdicts).set(value, 'valid');
  return {
    rows: [5],
    state: { ...state, verdicts },
    effects: proposalEffects(state, value, NO_ROUND),
  };
}

function buildCut(state: FinalityState): Effect {
  const { previous } = state;
  const previousRound = previous?.certificate.round ?? FIRST_ROUND;
  return {
    type: 'buildCut',
    height: state.context.height,
    round: state.round.round,
    previousRound,
    previousSigners: previous === undefined ? 0n : previousSigners(previous, previousRound),
  };
}

/** Drops votes of old rounds, so that memory stays bounded however many rounds a height takes. */
function forgetOldRounds(state: FinalityState, round: Round): FinalityState {
  const keeper = moveWindow(state.keeper, round, state.round.valid?.round ?? NO_ROUND);
  const own = state.own.filter((message) => message.round >= round - 1);
  const held = new Set<CutId>();
  for (const record of keeper.records)
    for (const { proposal } of record.proposals) held.add(proposal.value);
  for (const { value } of keeper.polkas) held.add(value);
  if (state.round.locked !== undefined) held.add(state.round.locked.value);
  if (state.round.valid !== undefined) held.add(state.round.valid.value);
  const verdicts = new Map([...state.verdicts].filter(([value]) => held.has(value)));
  return { ...state, keeper, own, verdicts };
}
