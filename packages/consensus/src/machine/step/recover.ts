/**
 * Recovery after a crash: the log of the height is played through the same machine. Effects without an
 * answer in the log are asked for again; messages that were sent are repeated by anti-entropy alone.
 */
import { assertInvariant } from '../base/assertion.ts';
import type { UnsignedMessage } from '../base/messages.ts';
import { sameSignedBytes } from '../base/messages.ts';
import type { CutId } from '../base/types.ts';
import { NO_ROUND } from '../base/types.ts';
import type { PreviousCommits } from '../keeper/previous-commits.ts';
import type { Effect } from './effects.ts';
import type { Input } from './inputs.ts';
import type { FinalityState } from './state.ts';
import { stateAtHeight } from './state.ts';
import type { StepResult } from './step.ts';
import { RULES, step } from './step.ts';
import type { Rules } from './transition.ts';

export interface RecoverySource {
  /** The inputs of the log, oldest first, beginning with `startHeight`. */
  readonly log: readonly Input[];
  readonly previous: PreviousCommits | undefined;
  /** Whether a cut is in the durable store. */
  readonly holdsCut: (value: CutId) => boolean;
}

export interface Recovery extends StepResult {
  /** Every signature that the machine asked for while the log was replayed. */
  readonly asked: readonly UnsignedMessage[];
  /** Cuts whose records were left out; the log must record that before anything more is signed. */
  readonly leftOut: readonly CutId[];
}

export function recover(source: RecoverySource, rules: Rules = RULES): Recovery {
  const [first] = source.log;
  assertInvariant(first?.type === 'startHeight', 'the log begins with its height');
  let state = stateAtHeight(first.context, source.previous);
  const asked: Effect[] = [];
  const signed: UnsignedMessage[] = [];
  const leftOut = new Set<CutId>();
  const forgottenAt = lastForgotten(source.log);
  for (const [at, input] of source.log.entries()) {
    if (isForgotten(input)) continue;
    const value = cutOf(input);
    if (value !== undefined && at < (forgottenAt.get(value) ?? 0)) continue;
    if (value !== undefined && !source.holdsCut(value)) {
      leftOut.add(value);
      continue;
    }
    if (input.type === 'signed') signed.push(input.message);
    const result = step(state, input, rules);
    state = result.state;
    asked.push(...result.effects);
  }
  return {
    state,
    effects: unanswered(state, asked, signed, rules),
    rows: [],
    asked: asked.flatMap((effect) => (effect.type === 'sign' ? [effect.message] : [])),
    leftOut: [...leftOut],
  };
}

/**
 * The cut that a record claims to be stored. Unsynced data survives a crash in any part: the record may be there without
 * the cut. Nothing was signed since, or both would be there, so the record is left out. It stays left out when the cut
 * comes back: what was signed meanwhile was signed without it.
 */
function cutOf(input: Input): CutId | undefined {
  if (input.type === 'cutBuilt') return input.value;
  return input.type === 'verdict' && input.verdict === 'valid' ? input.value : undefined;
}

/** A record that earlier records about the same cut were left out. */
function isForgotten(input: Input): input is Extract<Input, { type: 'verdict' }> {
  return input.type === 'verdict' && input.verdict === 'unknown';
}

function lastForgotten(log: readonly Input[]): ReadonlyMap<CutId, number> {
  const places = new Map<CutId, number>();
  for (const [at, input] of log.entries()) if (isForgotten(input)) places.set(input.value, at);
  return places;
}

function unanswered(
  state: FinalityState,
  asked: readonly Effect[],
  signed: readonly UnsignedMessage[],
  rules: Rules,
): Effect[] {
  if (state.decided !== undefined) return asked.filter((effect) => effect.type === 'decide');
  const { round } = state.round;
  const pending = asked.filter((effect) => {
    switch (effect.type) {
      case 'scheduleStart':
        return round === NO_ROUND;
      case 'schedule':
        return rules.guards.timerIsDue(state.round, effect.timer, effect.round);
      case 'scheduleAntiEntropy':
        return true;
      case 'validateCut':
      case 'fetchCut':
        return !state.verdicts.has(effect.value);
      case 'buildCut':
        return (
          effect.round === round && state.round.step === 'propose' && !hasProposed(asked, round)
        );
      default:
        return false;
    }
  });
  const unsigned = asked.filter(
    (effect) =>
      effect.type === 'sign' &&
      effect.message.round === round &&
      !signed.some((message) => sameSignedBytes(message, effect.message)),
  );
  return [...pending, ...(unsigned.length > 0 ? [{ type: 'sync' } as const] : []), ...unsigned];
}

function hasProposed(asked: readonly Effect[], round: number): boolean {
  return asked.some(
    (effect) =>
      effect.type === 'sign' &&
      effect.message.kind === 'proposal' &&
      effect.message.round === round,
  );
}
