/**
 * The state of the machine: one height, as a value. `step` never changes one in place.
 */
import type { CommitCertificate, PolkaCertificate, SignedMessage } from '../base/messages.ts';
import type { CutId, Height, Round, Step, ValidatorIndex } from '../base/types.ts';
import { NO_ROUND } from '../base/types.ts';
import type { ValidatorSet } from '../base/validator-set.ts';
import type { NextHeight } from '../keeper/next-height.ts';
import type { PreviousCommits } from '../keeper/previous-commits.ts';
import type { VoteKeeper } from '../keeper/vote-keeper.ts';
import { createVoteKeeper } from '../keeper/vote-keeper.ts';

/** The chain's data about a height before it starts. */
export interface HeightContext {
  readonly height: Height;
  readonly set: ValidatorSet;
  /** The distinct eligible proposers in their order; round r belongs to entry r modulo length. */
  readonly proposers: readonly ValidatorIndex[];
  /** Our place in the set; `undefined` for a node that only follows. */
  readonly self: ValidatorIndex | undefined;
  readonly startAtMs: bigint;
}

export interface Lock {
  readonly round: Round;
  readonly value: CutId;
}

/** The last value seen with a polka, and the proof to give to those who have not seen it. */
export interface ValidValue extends Lock {
  readonly certificate: PolkaCertificate;
}

export interface RoundState {
  readonly round: Round;
  readonly step: Step;
  readonly locked: Lock | undefined;
  readonly valid: ValidValue | undefined;
  /** What happens at most once per round has happened (rows 11, 12-13 and 16). */
  readonly prevoteTimerSet: boolean;
  readonly polkaSeen: boolean;
  readonly precommitTimerSet: boolean;
}

export interface FinalityState {
  readonly context: HeightContext;
  readonly round: RoundState;
  readonly keeper: VoteKeeper;
  readonly verdicts: ReadonlyMap<CutId, 'valid' | 'invalid'>;
  /** A verified certificate whose cut is not held yet (row 21). */
  readonly certified: CommitCertificate | undefined;
  /** The application has been asked to fetch the certified cut. */
  readonly fetching: boolean;
  readonly decided: CommitCertificate | undefined;
  readonly previous: PreviousCommits | undefined;
  readonly next: NextHeight;
  /** Own messages of this round and the one before, to be sent again when nothing moves. */
  readonly own: readonly SignedMessage[];
  /** Counts changes of step and round; `progressSeen` is its value at the last tick. */
  readonly progress: number;
  readonly progressSeen: number;
  readonly quietTicks: number;
}

export const UNSTARTED: RoundState = {
  round: NO_ROUND,
  step: 'unstarted',
  locked: undefined,
  valid: undefined,
  prevoteTimerSet: false,
  polkaSeen: false,
  precommitTimerSet: false,
};

export function stateAtHeight(
  context: HeightContext,
  previous: PreviousCommits | undefined,
): FinalityState {
  return {
    context,
    round: UNSTARTED,
    keeper: createVoteKeeper(context.set, NO_ROUND),
    verdicts: new Map(),
    certified: undefined,
    fetching: false,
    decided: undefined,
    previous,
    next: new Map(),
    own: [],
    progress: 0,
    progressSeen: 0,
    quietTicks: 0,
  };
}

export function proposerOf(context: HeightContext, round: Round): ValidatorIndex {
  return context.proposers[round % context.proposers.length] as ValidatorIndex;
}
