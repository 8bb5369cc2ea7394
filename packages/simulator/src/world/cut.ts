/**
 * Cuts and epochs as far as agreement is concerned, and what the chain knows after a cut. All nodes that decided the same
 * cuts share one state, because it is a function of those cuts. Most simulations shorten epochs, so that sets change while
 * faults happen.
 */
import {
  ATTENDANCE_RULE,
  type Attendance,
  type AttendanceRule,
  type Bitmap,
  type CutId,
  ELIGIBILITY_CUTS,
  type EncodedCut,
  EPOCH_CUTS,
  type Evidence,
  type EvidenceRegister,
  type Height,
  type Pace,
  type Round,
  type ValidatorSet,
} from 'svc-consensus/machine';
import type { ValidatorSet as SetWithKeys } from 'svc-wasm/protocol';

export interface EpochRules {
  readonly cuts: number;
  readonly eligibilityCuts: number;
  readonly attendance: AttendanceRule;
}

export const SHORT_EPOCHS: EpochRules = {
  cuts: 4,
  eligibilityCuts: 1,
  attendance: { windows: 2, cutsPerWindow: 2, signaturesMin: 1, windowsMin: 2 },
};

export const REAL_EPOCHS: EpochRules = {
  cuts: EPOCH_CUTS,
  eligibilityCuts: ELIGIBILITY_CUTS,
  attendance: ATTENDANCE_RULE,
};

export function epochOf(rules: EpochRules, height: number): number {
  return Math.floor((height - 1) / rules.cuts);
}

export function epochStartOf(rules: EpochRules, epoch: number): Height {
  return (epoch * rules.cuts + 1) as Height;
}

/** What the simulation says about a cut. */
interface CutPlan {
  readonly id: CutId;
  readonly height: Height;
  readonly parentId: CutId;
  readonly proposer: number;
  readonly timeMs: bigint;
  readonly previousRound: Round;
  readonly previousSigners: Bitmap;
  readonly evidence: readonly Evidence[];
  /** What its maker knows to be wrong with it; nodes find out by checking, checkers by looking. */
  readonly flaw: 'none' | 'invalid';
  /** Who gets the bodies together with the proposal. */
  readonly bodiesFor: 'everybody' | ReadonlySet<number>;
}

/** A cut that can travel: to a validator it is like any other, without the bytes. */
export interface Cut extends CutPlan, EncodedCut {}

const NO_BYTES = new Uint8Array(0);
const CONTENT: EncodedCut['content'] = { blockIds: [], evidence: [] };
const EMPTY_FIELDS = {
  protocolVersion: 1,
  chainId: NO_BYTES,
  parentCutId: NO_BYTES,
  validatorSetId: NO_BYTES,
  nextValidatorSetId: NO_BYTES,
  registeredRoot: NO_BYTES,
  registeredCount: 0,
  registeredBytes: 0,
  evidenceRoot: NO_BYTES,
  outcomeRoot: NO_BYTES,
  historyRoot: NO_BYTES,
  changesRoot: NO_BYTES,
  stateRoot: NO_BYTES,
  workTarget: NO_BYTES,
} as const;

/** Gives a cut the form in which validators see it. */
export function wrapCut<Plan extends CutPlan>(plan: Plan): Plan & Cut {
  const { id, height, proposer, timeMs, previousRound, previousSigners } = plan;
  return {
    ...plan,
    value: id,
    header: NO_BYTES,
    body: NO_BYTES,
    content: CONTENT,
    fields: {
      ...EMPTY_FIELDS,
      height: BigInt(height),
      proposer,
      time: timeMs,
      previousRound,
      previousSigners,
    },
  };
}

export interface ChainState {
  readonly height: Height;
  readonly cutId: CutId;
  readonly timeMs: bigint;
  readonly pace: Pace;
  readonly register: EvidenceRegister;
  /** Of the running epoch. */
  readonly attendance: Attendance;
  readonly epoch: number;
  /** The claims of the headers of the running epoch, without its first. */
  readonly signers: readonly Bitmap[];
}

export const GENESIS_ID = 'genesis' as CutId;

export interface Epoch {
  readonly set: ValidatorSet;
  /** The same set as validators see it; ids and keys follow from the numbers of the validators. */
  readonly validators: SetWithKeys;
  readonly table: Uint8Array;
  /** The validator on each seat, and the number of the key that it signs with. */
  readonly holders: readonly number[];
  readonly keys: readonly number[];
  /** The seat of each validator that has one. */
  readonly seats: ReadonlyMap<number, number>;
}
