/**
 * A cut as far as agreement is concerned, and what the chain knows after it. All nodes that decided
 * the same cuts share one state, because it is a function of those cuts.
 */
import type {
  Attendance,
  Bitmap,
  CutId,
  Evidence,
  EvidenceRegister,
  Height,
  Pace,
  Round,
  ValidatorSet,
} from 'svc-finality';

export interface Cut {
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
  readonly table: Uint8Array;
}
