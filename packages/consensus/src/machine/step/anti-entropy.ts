/**
 * Row 23 and its answers: when nothing moves, send a summary to a few neighbours, and send neighbours what their
 * summaries lack. Nothing here changes votes or locks.
 */

import { commitCertificateOf } from '../base/certificate.ts';
import { SUMMARY_ANSWER_VOTES_MAX, SUMMARY_NEIGHBOURS_MAX } from '../base/limits.ts';
import type { RoundSummary, SignedMessage, Summary, Vote } from '../base/messages.ts';
import type { Bitmap, CutId, Round, ValidatorIndex } from '../base/types.ts';
import { NO_ROUND } from '../base/types.ts';
import { isBitSet, isQuorum, isWithinSet, stakeOfBitmap } from '../base/validator-set.ts';
import { polkaCertificate } from '../keeper/keeper-queries.ts';
import { previousSigners, previousVotes } from '../keeper/previous-commits.ts';
import { recordOf } from '../keeper/vote-keeper.ts';
import type { VoteTable } from '../keeper/vote-table.ts';
import type { Effect } from './effects.ts';
import type { Input } from './inputs.ts';
import type { Progress } from './settle.ts';
import type { FinalityState } from './state.ts';
import type { Rules } from './transition.ts';

/** Ticks come twice per period; two in a row after one with progress are a whole quiet period. */
const QUIET_TICKS = 2;
const POLKA_SHOWN_AFTER = 2;

export function onAntiEntropyTick(
  progress: Progress,
  neighbours: readonly ValidatorIndex[],
  rules: Rules,
): void {
  const { state } = progress;
  if (state.decided !== undefined) return;
  const { height } = state.context;
  const moved = state.progress !== state.progressSeen;
  const ticks = moved ? 0 : state.quietTicks + 1;
  const isQuiet = ticks >= QUIET_TICKS;
  progress.state = { ...state, progressSeen: state.progress, quietTicks: isQuiet ? 0 : ticks };
  const delayMs = rules.timing.antiEntropyMs / 2;
  progress.effects.push({ type: 'scheduleAntiEntropy', height, delayMs });
  if (!isQuiet) return;
  if (state.round.round === NO_ROUND) {
    progress.effects.push(...fetchPreviousCommits(state, neighbours));
    return;
  }
  progress.rows.push(23);
  const summary = summarise(state, rules);
  const own = state.own.filter((message) => message.round === state.round.round);
  for (const to of neighbours.slice(0, SUMMARY_NEIGHBOURS_MAX)) {
    progress.effects.push({ type: 'send', to, message: summary });
    for (const message of own) progress.effects.push({ type: 'send', to, message });
  }
  showPolka(progress, neighbours);
}

/**
 * A lock that others do not know of can stall a height: after two rounds without a decision each validator that knows
 * the latest polka sends it to one neighbour at a time.
 */
function showPolka({ state, effects }: Progress, [to]: readonly ValidatorIndex[]): void {
  const { round, valid } = state.round;
  if (valid === undefined || to === undefined || round < valid.round + POLKA_SHOWN_AFTER) return;
  effects.push({ type: 'send', to, message: valid.certificate });
}

/**
 * Between two cuts the late precommits of the last one are collected, one neighbour at a time: the next header will
 * name their signers, and a validator that lacks one could not vote for it at once.
 */
function fetchPreviousCommits(
  { previous }: FinalityState,
  [from]: readonly ValidatorIndex[],
): Effect[] {
  if (previous === undefined || from === undefined) return [];
  const { height, round } = previous.certificate;
  const all = (1n << BigInt(previous.set.stakes.length)) - 1n;
  const signers = all ^ (all & previousSigners(previous, round));
  return signers === 0n ? [] : [{ type: 'fetchPrecommits', from, height, round, signers }];
}

export function summarise(state: FinalityState, { guards }: Rules): Summary {
  const { round, step } = state.round;
  const proposal = recordOf(state.keeper, round)?.proposals[0]?.proposal;
  const leans = proposal !== undefined && proposal.validRound !== NO_ROUND;
  const missing = leans && !guards.polkaHolds(state.keeper, proposal.validRound, proposal.value);
  return {
    kind: 'summary',
    height: state.context.height,
    round,
    step,
    rounds: state.keeper.records.map((record) => ({
      round: record.round,
      proposals: record.proposals.length,
      prevotes: record.prevotes.voters,
      precommits: record.precommits.voters,
    })),
    wantedPolka: missing ? { round: proposal.validRound, value: proposal.value } : undefined,
  };
}

/** To a peer that is behind goes a decision, to one at our height votes, to one ahead a summary. */
export function answerSummary(
  state: FinalityState,
  from: ValidatorIndex,
  summary: Summary,
  rules: Rules,
): Effect[] {
  const { height } = state.context;
  if (summary.height < height || (summary.height === height && state.decided !== undefined))
    return [{ type: 'sendDecision', to: from, height: summary.height }];
  if (summary.height > height)
    return state.decided !== undefined
      ? []
      : [{ type: 'send', to: from, message: summarise(state, rules) }];
  const effects: Effect[] = missingFrom(state, summary).map((message) => ({
    type: 'send',
    to: from,
    message,
  }));
  if (summary.wantedPolka !== undefined)
    effects.push(
      ...sendPolka(state, from, summary.wantedPolka.round, summary.wantedPolka.value, rules),
    );
  return effects;
}

/** Fast path: the peer usually has everything we have. */
function missingFrom(state: FinalityState, summary: Summary): readonly SignedMessage[] {
  const proposals: SignedMessage[] = [];
  const votes: Vote[] = [];
  for (let at = state.keeper.records.length - 1; at >= 0; at--) {
    const record = state.keeper.records[at];
    if (record === undefined) continue;
    const held = summaryOf(summary, record.round);
    if (record.proposals.length > (held?.proposals ?? 0))
      for (const { proposal } of record.proposals) proposals.push(proposal);
    addVotesBeyond(votes, record.precommits, held?.precommits ?? 0n);
    addVotesBeyond(votes, record.prevotes, held?.prevotes ?? 0n);
    if (votes.length >= SUMMARY_ANSWER_VOTES_MAX) break;
  }
  if (proposals.length === 0 && votes.length <= SUMMARY_ANSWER_VOTES_MAX) return votes;
  return [...proposals, ...votes.slice(0, SUMMARY_ANSWER_VOTES_MAX)];
}

/** A summary's votes of a round; the last line for a round counts. */
function summaryOf({ rounds }: Summary, round: Round): RoundSummary | undefined {
  for (let at = rounds.length - 1; at >= 0; at--) {
    const line = rounds[at];
    if (line?.round === round) return line;
  }
  return undefined;
}

function addVotesBeyond(votes: Vote[], table: VoteTable, held: Bitmap): void {
  if ((table.voters & held) === table.voters) return;
  for (const vote of table.slots)
    if (vote !== undefined && !isBitSet(held, vote.validatorIndex)) votes.push(vote);
}

export function sendPolka(
  state: FinalityState,
  to: ValidatorIndex,
  round: Round,
  value: CutId,
  { guards }: Rules,
): Effect[] {
  const { valid } = state.round;
  const message =
    valid !== undefined && valid.round === round && valid.value === value
      ? valid.certificate
      : polkaCertificate(state.keeper, round, value, guards.quorum);
  return message === undefined ? [] : [{ type: 'send', to, message }];
}

type PrecommitsRequest = Extract<Input, { type: 'precommitsRequest' }>;

/**
 * Precommits of the previous height that a header claims and the asker lacks. One that lacks a quorum holds nothing of
 * the round: it gets the whole round as a certificate, since it takes no single vote of it.
 */
export function sendPrecommits(
  { previous }: FinalityState,
  { from: to, height, round, signers }: PrecommitsRequest,
): Effect[] {
  if (previous === undefined || previous.certificate.height !== height) return [];
  const { set, certificate } = previous;
  const votes = previousVotes(previous, round);
  if (votes.length === 0 || !isWithinSet(set, signers)) return [];
  if (isQuorum(set, stakeOfBitmap(set, signers)))
    return [{ type: 'send', to, message: commitCertificateOf(votes, certificate.value) }];
  return votes
    .filter((vote) => isBitSet(signers, vote.validatorIndex))
    .map((message) => ({ type: 'send', to, message }));
}
