/**
 * Everything held of one round: at most two proposals, two vote tables, and the validators that were already accused.
 */
import type { MessageKind, Proposal } from '../base/messages.ts';
import type { Bitmap, CutId, Round } from '../base/types.ts';
import type { ValidatorSet } from '../base/validator-set.ts';
import type { VoteTable } from './vote-table.ts';
import { emptyVoteTable } from './vote-table.ts';

export interface HeldProposal {
  readonly proposal: Proposal;
  /** Whether the cut's time was plausible when the proposal arrived. */
  readonly timely: boolean;
}

export interface RoundRecord {
  readonly round: Round;
  readonly proposals: readonly HeldProposal[];
  readonly prevotes: VoteTable;
  readonly precommits: VoteTable;
  /** Validators with a proof of equivocation for this round, by kind. */
  readonly accused: Readonly<Record<'proposal' | 'prevote' | 'precommit', Bitmap>>;
}

const NONE_ACCUSED = { proposal: 0n, prevote: 0n, precommit: 0n } as const;

export function emptyRoundRecord(set: ValidatorSet, round: Round): RoundRecord {
  return {
    round,
    proposals: [],
    prevotes: emptyVoteTable(set),
    precommits: emptyVoteTable(set),
    accused: NONE_ACCUSED,
  };
}

/** Validators accused for messages of a kind. */
export function accusedOf({ accused }: RoundRecord, kind: MessageKind): Bitmap {
  if (kind === 'prevote') return accused.prevote;
  return kind === 'precommit' ? accused.precommit : accused.proposal;
}

export function findProposal(
  record: RoundRecord,
  value: CutId,
  validRound: Round,
): HeldProposal | undefined {
  return record.proposals.find(
    ({ proposal }) => proposal.value === value && proposal.validRound === validRound,
  );
}
