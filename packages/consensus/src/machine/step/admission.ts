/**
 * Which messages deserve a signature check, decided by comparisons alone. It bounds what a validator can make us verify
 * and log in one height: two different messages of a kind in each round of the window, and of rounds beyond the window one
 * vote for each doubling of the distance.
 */
import type { PolkaCertificate, SignedMessage } from '../base/messages.ts';
import { isWellFormed, sameSignedBytes } from '../base/messages.ts';
import { NO_ROUND, nextHeight } from '../base/types.ts';
import { isBitSet, isMember, isQuorum } from '../base/validator-set.ts';
import { hasAnyPolka } from '../keeper/keeper-queries.ts';
import { isEarlyWanted } from '../keeper/next-height.ts';
import type { RoundRecord } from '../keeper/round-record.ts';
import {
  isAccused,
  isFarVoteWanted,
  isInWindow,
  isPolkaWanted,
  recordOf,
} from '../keeper/vote-keeper.ts';
import type { FinalityState } from './state.ts';
import { proposerOf } from './state.ts';

/** `reject` blames the sender; `ignore` does not. */
export type Admission = 'verify' | 'ignore' | 'reject';

export function admit(state: FinalityState, message: SignedMessage): Admission {
  if (!isWellFormed(message)) return 'reject';
  const { height } = state.context;
  if (message.height === height) return admitNow(state, message);
  if (message.height === height - 1) return admitLate(state, message);
  if (message.height === nextHeight(height))
    return isEarlyWanted(state.next, message) ? 'verify' : 'ignore';
  return 'ignore';
}

function admitNow(state: FinalityState, message: SignedMessage): Admission {
  const { context, keeper } = state;
  const { kind, round, validatorIndex } = message;
  if (!isMember(context.set, validatorIndex)) return 'reject';
  if (kind === 'proposal' && proposerOf(context, round) !== validatorIndex) return 'reject';
  if (state.decided !== undefined) return 'ignore';
  if (!isInWindow(keeper, round))
    return message.kind !== 'proposal' && isFarVoteWanted(keeper, message) ? 'verify' : 'ignore';
  if (isAccused(keeper, round, kind, validatorIndex)) return 'ignore';
  return isHeld(state, message) ? 'ignore' : 'verify';
}

/**
 * Whether the machine would keep a polka: checking all signatures of one that it drops would be wasted each time it
 * comes.
 */
export function admitPolka(
  { context, decided, keeper, round }: FinalityState,
  polka: PolkaCertificate,
): boolean {
  if (polka.height !== context.height || decided !== undefined) return false;
  if (!isPolkaWanted(keeper, polka, round.valid?.round ?? NO_ROUND)) return false;
  return !hasAnyPolka(keeper, polka.round, polka.value, isQuorum);
}

function isHeld(state: FinalityState, message: SignedMessage): boolean {
  const record = recordOf(state.keeper, message.round);
  if (record === undefined) return false;
  if (message.kind === 'proposal') return holdsProposal(record, message);
  const table = message.kind === 'prevote' ? record.prevotes : record.precommits;
  const vote = table.slots[message.validatorIndex];
  return vote !== undefined && sameSignedBytes(vote, message);
}

function holdsProposal({ proposals }: RoundRecord, message: SignedMessage): boolean {
  for (const { proposal } of proposals) if (sameSignedBytes(proposal, message)) return true;
  return false;
}

function admitLate(state: FinalityState, message: SignedMessage): Admission {
  const { previous } = state;
  if (previous === undefined || message.kind !== 'precommit') return 'ignore';
  if (message.value !== previous.certificate.value) return 'ignore';
  if (!isMember(previous.set, message.validatorIndex)) return 'reject';
  const table = previous.tables.get(message.round);
  if (table === undefined) return 'ignore';
  return isBitSet(table.voters, message.validatorIndex) ? 'ignore' : 'verify';
}
