/**
 * The chain beneath a validator: what is final, what a cut would do, and how a decided cut becomes final. The chain
 * decides nothing. Several validators may share one chain.
 */
import type {
  CommitCertificate,
  Conflict,
  CutId,
  EncodedCut,
  HeightContext,
  Round,
} from 'svc-consensus/machine';
import type { CutHeader, ValidatorSet } from 'svc-wasm/protocol';
import type { Later } from '../base/later.ts';
import type { BlockBytes } from './blocks.ts';
import type { OverlayMember } from './overlay.ts';

/** The chain's data about the height after its head. */
export interface NextHeight extends Omit<HeightContext, 'self'> {
  readonly epoch: number;
  /** The validators with their keys. */
  readonly validators: ValidatorSet;
}

/** A cut that has just become final. */
export interface FinalCut {
  readonly height: number;
  readonly header: Pick<CutHeader, 'previousRound' | 'previousSigners' | 'time'>;
}

export interface BuildRequest {
  readonly height: number;
  /** The proposer's index in the set. */
  readonly proposer: number;
  readonly previousRound: Round;
  readonly previousSigners: bigint;
  /** Offences that no cut has punished yet, in the order of preference. */
  readonly conflicts: readonly Conflict[];
}

/** A cut that follows the head, with what executing it gives. Only the chain looks inside. */
export interface CutExecution {
  readonly cut: EncodedCut;
}

/**
 * `execution` and `fault` never change for a cut. `missing` means that something is not here: `blocks` has the ids
 * of missing blocks and is empty if something else is missing, and `what` names it to the operator.
 */
export type Evaluation =
  | { readonly type: 'execution'; readonly execution: CutExecution }
  | { readonly type: 'fault'; readonly reason: string }
  | { readonly type: 'missing'; readonly blocks: readonly string[]; readonly what: string };

export interface EvaluateOptions {
  /** The cut is certified: blocks passed to `offer` count, even if the pool would refuse them. */
  readonly isCertified: boolean;
}

export interface StoredDecision {
  readonly cut: EncodedCut;
  readonly certificate: CommitCertificate;
}

export interface ValidatorChain {
  readonly network: string;
  readonly paceMillis: number;
  /** Cuts of an epoch. */
  readonly interval: number;
  /** The highest version of the protocol whose cuts this release can execute. */
  readonly protocolVersion: number;
  readonly head: { readonly height: number };
  readonly next: NextHeight;
  /** The certificate of the head, with all signers that were known when it was committed; none at the genesis. */
  readonly headCertificate: CommitCertificate | undefined;
  /** Emits every cut after it has become final; `on` returns a function that unsubscribes. */
  readonly finalized: { on(listener: (cut: FinalCut) => void): () => void };
  /** The set that signs at a height, for as long as evidence against its members is accepted. */
  setAt(height: number): ValidatorSet | undefined;
  /** The validators to connect to: the committee, and those that would form the next one now. */
  overlayMembers(): readonly OverlayMember[];
  isPunished(validatorId: string): boolean;
  /** A cut to propose; undefined if the chain has passed the height or the cut is no longer needed. */
  build(request: BuildRequest, isWanted: () => boolean): Later<EncodedCut | undefined>;
  evaluate(cut: EncodedCut, options: EvaluateOptions): Later<Evaluation>;
  /** Gives a block for a certified cut at the next height. */
  offer(block: BlockBytes): void;
  /** Makes a decided cut final. A cut that was final before is ignored. */
  commit(execution: CutExecution, certificate: CommitCertificate): Later<unknown>;
  /** A final cut, if its id is this one. */
  storedCut(height: number, value: CutId): Later<EncodedCut | undefined>;
  storedDecision(height: number): Later<StoredDecision | undefined>;
  storedBlocks(ids: readonly string[]): Later<readonly BlockBytes[]>;
}
