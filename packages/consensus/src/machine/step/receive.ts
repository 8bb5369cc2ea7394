/**
 * Recording what peers say: votes, proposals and certificates (rows 22 and 24), of this height, the
 * next one, and late precommits of the previous one. Signatures have been checked.
 */
import { assertInvariant } from '../base/assertion.ts';
import type { CommitCertificate, PolkaCertificate, Proposal, Vote } from '../base/messages.ts';
import { isWellFormed } from '../base/messages.ts';
import { NO_ROUND, nextHeight } from '../base/types.ts';
import { isMember, membersOf } from '../base/validator-set.ts';
import { keepEarly } from '../keeper/next-height.ts';
import type { KeeperChange } from '../keeper/vote-keeper.ts';
import { keepProposal, keepVote } from '../keeper/vote-keeper.ts';
import { isTimely } from '../pace/cut-time.ts';
import type { Input } from './inputs.ts';
import type { Progress } from './settle.ts';
import { settle } from './settle.ts';
import type { FinalityState } from './state.ts';
import { proposerOf } from './state.ts';
import type { Rules } from './transition.ts';

export function receiveVote(progress: Progress, vote: Vote, rules: Rules): void {
  const { state } = progress;
  const { height, set } = state.context;
  if (!isWellFormed(vote)) return;
  if (vote.height === height - 1) {
    receiveLatePrecommit(progress, vote, rules);
    return;
  }
  if (vote.height === nextHeight(height)) {
    keepForNextHeight(progress, { type: 'vote', vote });
    return;
  }
  if (vote.height !== height || state.decided !== undefined || !isMember(set, vote.validatorIndex))
    return;
  record(progress, { type: 'vote', vote }, keepVote(state.keeper, vote));
  settle(progress, rules);
}

function receiveLatePrecommit(progress: Progress, vote: Vote, { guards }: Rules): void {
  const { previous } = progress.state;
  const kept = previous === undefined ? undefined : guards.keepPreviousCommit(previous, vote);
  if (kept === undefined) return;
  progress.effects.push({ type: 'append', input: { type: 'vote', vote } });
  progress.state = { ...progress.state, previous: kept };
}

export type ProposalInput = Extract<Input, { type: 'proposal' }>;

export function receiveProposal(progress: Progress, input: ProposalInput, rules: Rules): void {
  const { state } = progress;
  const { proposal, cutTimeMs, receivedAtMs } = input;
  const { context } = state;
  if (!isWellFormed(proposal)) return;
  if (proposal.height === nextHeight(context.height)) {
    keepForNextHeight(progress, input);
    return;
  }
  if (proposal.height !== context.height || state.decided !== undefined) return;
  if (proposerOf(context, proposal.round) !== proposal.validatorIndex) return;
  const timely =
    proposal.validRound !== NO_ROUND ||
    isTimely(rules.timing, proposal.round, cutTimeMs, receivedAtMs);
  const change = keepProposal(state.keeper, { proposal, timely });
  record(progress, input, change);
  if (change.changed) askAbout(progress, proposal, rules);
  settle(progress, rules);
}

/**
 * Asks for what is missing to judge a proposal: the cut's verdict, the polka it leans on. A cut
 * proposed again is asked about again: its new proposer holds what the first one may keep back.
 */
function askAbout(progress: Progress, proposal: Proposal, { guards }: Rules): void {
  const { state } = progress;
  const { height, round, validRound, value, validatorIndex: from } = proposal;
  if (!state.verdicts.has(value))
    progress.effects.push({ type: 'validateCut', height, value, from });
  if (validRound !== NO_ROUND && round >= state.round.round)
    if (!guards.polkaHolds(state.keeper, validRound, value))
      progress.effects.push({ type: 'fetchPolka', from, height, round: validRound, value });
}

/** Row 22: applied as a whole, past the slots of single votes. */
export function receivePolka(progress: Progress, polka: PolkaCertificate, rules: Rules): void {
  const { state } = progress;
  if (polka.height !== state.context.height || state.decided !== undefined) return;
  const validRound = state.round.valid?.round ?? NO_ROUND;
  const change = rules.guards.keepPolka(state.keeper, polka, validRound);
  if (!change.changed) return;
  const { height, value } = polka;
  progress.rows.push(22);
  record(progress, { type: 'polkaCertificate', certificate: polka }, change);
  const from = membersOf(polka.signers).find((index) => index !== state.context.self);
  if (!state.verdicts.has(value) && polka.round > validRound && from !== undefined)
    progress.effects.push({ type: 'validateCut', height, value, from });
  settle(progress, rules);
}

/** Row 21, first half: the certificate is noted; `settle` decides once the cut is held. */
export function receiveCommit(progress: Progress, commit: CommitCertificate, rules: Rules): void {
  const { state } = progress;
  const { height } = state.context;
  const known = commit.height === height ? state.decided : state.previous?.certificate;
  if (known !== undefined && known.height === commit.height) {
    assertInvariant(
      known.value === commit.value,
      `two decisions at height ${commit.height}: ${known.value} and ${commit.value}`,
      'conflicting_decisions',
      [known, commit],
    );
    if (commit.height < height) receiveClaimedRound(progress, commit, rules);
    return;
  }
  if (commit.height !== height || state.certified !== undefined) return;
  progress.effects.push({
    type: 'append',
    input: { type: 'commitCertificate', certificate: commit },
  });
  progress.state = { ...state, certified: commit };
  settle(progress, rules);
}

/** The decided cut has a quorum in another round too, which a header claims. */
function receiveClaimedRound(
  progress: Progress,
  certificate: CommitCertificate,
  { guards }: Rules,
): void {
  const { previous } = progress.state;
  const kept = previous === undefined ? undefined : guards.keepClaimedRound(previous, certificate);
  if (kept === undefined) return;
  progress.effects.push({ type: 'append', input: { type: 'commitCertificate', certificate } });
  progress.state = { ...progress.state, previous: kept };
}

function keepForNextHeight(
  progress: Progress,
  input: ProposalInput | { type: 'vote'; vote: Vote },
): void {
  const early =
    input.type === 'vote'
      ? { message: input.vote, cutTimeMs: 0n, receivedAtMs: 0n }
      : { message: input.proposal, cutTimeMs: input.cutTimeMs, receivedAtMs: input.receivedAtMs };
  const next = keepEarly(progress.state.next, early);
  if (next !== undefined) progress.state = { ...progress.state, next };
}

/** Row 24 reports a conflict once; every change of the keeper is logged. */
function record(progress: Progress, input: Input, change: KeeperChange): void {
  const state: FinalityState = progress.state;
  if (change.keeper === state.keeper) return;
  progress.effects.push({ type: 'append', input });
  if (change.conflict !== undefined) {
    progress.rows.push(24);
    progress.effects.push({ type: 'evidence', conflict: change.conflict });
  }
  progress.state = { ...state, keeper: change.keeper };
}
