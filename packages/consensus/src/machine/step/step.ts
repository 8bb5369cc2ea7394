/**
 * The machine: `step(state, input)` gives the next state, the effects in their order, and the rows
 * of the table that fired. It has no clock, no randomness and no memory of its own.
 */
import { assertInvariant } from '../base/assertion.ts';
import type { SignedMessage } from '../base/messages.ts';
import { sameSignedBytes } from '../base/messages.ts';
import { TIMING } from '../base/timing.ts';
import { NO_ROUND } from '../base/types.ts';
import { isMember } from '../base/validator-set.ts';
import type { PreviousCommits } from '../keeper/previous-commits.ts';
import { createPreviousCommits } from '../keeper/previous-commits.ts';
import { keepProposal, keepVote } from '../keeper/vote-keeper.ts';
import { answerSummary, onAntiEntropyTick, sendPolka, sendPrecommits } from './anti-entropy.ts';
import type { Effect } from './effects.ts';
import { GUARDS } from './guards.ts';
import type { Input } from './inputs.ts';
import { receiveCommit, receivePolka, receiveProposal, receiveVote } from './receive.ts';
import { leaveRoundOnTimer } from './rows-next-round.ts';
import { precommitNil } from './rows-precommit.ts';
import { prevoteNil } from './rows-prevote.ts';
import { proposeBuiltCut, startFirstRound } from './rows-start.ts';
import type { Progress } from './settle.ts';
import { apply, settle } from './settle.ts';
import type { FinalityState, HeightContext } from './state.ts';
import { stateAtHeight } from './state.ts';
import type { Row, Rules } from './transition.ts';

export interface StepResult {
  readonly state: FinalityState;
  readonly effects: readonly Effect[];
  readonly rows: readonly Row[];
}

export const RULES: Rules = { guards: GUARDS, timing: TIMING };

export function step(before: FinalityState, input: Input, rules: Rules = RULES): StepResult {
  const progress: Progress = { state: before, effects: [], rows: [] };
  handle(progress, input, rules);
  return progress;
}

function handle(progress: Progress, input: Input, rules: Rules): void {
  const { state, effects } = progress;
  switch (input.type) {
    case 'startHeight':
      startHeight(progress, input.context, rules);
      break;
    case 'timer':
      onTimer(progress, input, rules);
      break;
    case 'proposal':
      receiveProposal(progress, input, rules);
      break;
    case 'vote':
      receiveVote(progress, input.vote, rules);
      break;
    case 'commitCertificate':
      receiveCommit(progress, input.certificate, rules);
      break;
    case 'polkaCertificate':
      receivePolka(progress, input.certificate, rules);
      break;
    case 'cutBuilt':
      onCutBuilt(progress, input);
      break;
    case 'verdict':
      onVerdict(progress, input, rules);
      break;
    case 'signed':
      onSigned(progress, input.message, rules);
      break;
    case 'signRefused':
      break;
    case 'antiEntropy':
      onAntiEntropyTick(progress, input.neighbours, rules);
      break;
    case 'summary':
      for (const effect of answerSummary(state, input.from, input.summary, rules))
        effects.push(effect);
      break;
    case 'polkaRequest':
      if (input.height === state.context.height)
        effects.push(...sendPolka(state, input.from, input.round, input.value, rules));
      break;
    case 'precommitsRequest':
      effects.push(...sendPrecommits(state, input));
  }
}

/** The state of a node that starts: the chain gives it the previous height's certificate, if any. */
export function initialState(context: HeightContext, previous?: PreviousCommits): FinalityState {
  return stateAtHeight(context, previous);
}

function startHeight(progress: Progress, context: HeightContext, rules: Rules): void {
  const before = progress.state;
  const { height, startAtMs } = context;
  assertContext(before.context, context);
  const { decided } = before;
  const follows = decided !== undefined && decided.height === height - 1;
  const previous = follows ? createPreviousCommits(before.keeper, decided) : before.previous;
  const usable = previous?.certificate.height === height - 1 ? previous : undefined;
  progress.state = stateAtHeight(context, usable);
  progress.effects.push({ type: 'resetLog', height });
  progress.effects.push({ type: 'append', input: { type: 'startHeight', context } });
  progress.effects.push({ type: 'scheduleStart', height, atMs: startAtMs });
  const delayMs = rules.timing.antiEntropyMs / 2;
  progress.effects.push({ type: 'scheduleAntiEntropy', height, delayMs });
  if (before.context.height !== height - 1) return;
  for (const { message, cutTimeMs, receivedAtMs } of before.next.values())
    if (message.kind === 'proposal')
      receiveProposal(
        progress,
        { type: 'proposal', proposal: message, cutTimeMs, receivedAtMs },
        rules,
      );
    else receiveVote(progress, message, rules);
}

/** What the chain reports about a height is our own data: a contradiction in it is a bug. */
function assertContext(
  before: HeightContext,
  { height, set, proposers, startAtMs }: HeightContext,
): void {
  assertInvariant(proposers.length > 0, `no validator may propose at height ${height}`);
  assertInvariant(
    proposers.every((index) => isMember(set, index)),
    `a proposer of height ${height} is outside its set`,
  );
  assertInvariant(
    height <= before.height || startAtMs > before.startAtMs,
    `height ${height} starts at ${startAtMs}, height ${before.height} at ${before.startAtMs}`,
    'time_not_monotone',
  );
}

type TimerInput = Extract<Input, { type: 'timer' }>;

/** Rows 1, 10, 15 and 18. A timer of a round or step that has passed does nothing. */
function onTimer(progress: Progress, input: TimerInput, rules: Rules): void {
  const { state } = progress;
  if (input.height !== state.context.height || state.decided !== undefined) return;
  if (input.timer === 'start') {
    if (state.round.round !== NO_ROUND) return;
    progress.effects.push({ type: 'append', input });
    apply(progress, startFirstRound(state, input.nowMs, rules));
    settle(progress, rules);
    return;
  }
  if (!rules.guards.timerIsDue(state.round, input.timer, input.round)) return;
  progress.effects.push({ type: 'append', input });
  switch (input.timer) {
    case 'propose':
      apply(progress, prevoteNil(10, state));
      break;
    case 'prevote':
      apply(progress, precommitNil(15, state));
      break;
    case 'precommit':
      apply(progress, leaveRoundOnTimer(state, rules));
      break;
  }
  settle(progress, rules);
}

type CutBuilt = Extract<Input, { type: 'cutBuilt' }>;

function onCutBuilt(progress: Progress, input: CutBuilt): void {
  const { state } = progress;
  if (input.height !== state.context.height || state.decided !== undefined) return;
  const transition = proposeBuiltCut(state, input.round, input.value);
  if (transition === undefined) return;
  progress.effects.push({ type: 'storeCut', height: input.height, value: input.value });
  progress.effects.push({ type: 'append', input });
  apply(progress, transition);
}

type VerdictInput = Extract<Input, { type: 'verdict' }>;

function onVerdict(progress: Progress, input: VerdictInput, rules: Rules): void {
  const { state } = progress;
  const { height, value, verdict } = input;
  if (height !== state.context.height || state.decided !== undefined) return;
  const known = state.verdicts.get(value);
  if (verdict === 'unknown' || known === verdict) return;
  assertInvariant(
    known === undefined,
    `cut ${value} was judged ${known}, then ${verdict}`,
    'unstable_verdict',
  );
  if (verdict === 'valid') progress.effects.push({ type: 'storeCut', height, value });
  progress.effects.push({ type: 'append', input });
  const verdicts = new Map(state.verdicts).set(value, verdict);
  progress.state = { ...state, verdicts };
  settle(progress, rules);
}

/** Our message is signed: count it and broadcast it. */
function onSigned(progress: Progress, message: SignedMessage, rules: Rules): void {
  const { state } = progress;
  const { height, self } = state.context;
  if (message.height !== height || message.validatorIndex !== self) return;
  const before = state.own.find((own) => own.kind === message.kind && own.round === message.round);
  assertInvariant(
    before === undefined || sameSignedBytes(before, message),
    `two own messages of kind ${message.kind} in round ${message.round} of height ${height}`,
    'conflicting_own_message',
    [before, message],
  );
  if (before !== undefined) return;
  const { keeper } =
    message.kind === 'proposal'
      ? keepProposal(state.keeper, { proposal: message, timely: true })
      : keepVote(state.keeper, message);
  progress.effects.push({ type: 'append', input: { type: 'signed', message } });
  progress.effects.push({ type: 'broadcast', message });
  const own = [...state.own, message];
  progress.state = { ...state, keeper, own };
  settle(progress, rules);
}
