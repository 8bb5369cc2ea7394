/**
 * Input and output of a cut: the arguments and the result of `applyCut`.
 */
import type { DeferredTrees, StagedTrees } from './commitment/trees.ts';
import type { Address, Identifier, Outpoint, OutpointKey } from './identifiers.ts';
import type { OutcomeKind, OutputSource } from './protocol.ts';
import type { PositionKind } from './records.ts';
import type { ExecutableTransaction } from './transaction.ts';
import type { Change } from './view.ts';

/**
 * A work block that the cut registers; its validity by itself has been checked, and that the cut
 * which it names as its anchor is the one at the anchor's height.
 */
export interface RegisteredBlock {
  readonly id: Identifier;
  readonly anchorHeight: number;
  readonly anchorCutId: Identifier;
  /** One to eight, distinct. */
  readonly parents: readonly Identifier[];
  readonly bodyRoot: Identifier;
  readonly payoutAddress: Address;
  readonly bodyBytes: number;
  readonly mass: bigint;
}

/** A work block that the cut before registered, with its transactions in body order. */
export interface ExecutedBlock {
  readonly id: Identifier;
  readonly transactions: readonly ExecutableTransaction[];
}

/** A proof of equivocation whose signatures have been checked. */
export interface Equivocation {
  readonly validatorId: Identifier;
  /** The height of the two messages. */
  readonly height: number;
}

export interface CutInput {
  readonly height: number;
  /** The id of the cut before; that of the chain before the first. */
  readonly parentCutId: Identifier;
  readonly timeMillis: number;
  /** Who signed the cut before, one bit for each member of its validator set. */
  readonly previousSigners: bigint;
  readonly registered: readonly RegisteredBlock[];
  readonly evidence: readonly Equivocation[];
  readonly executed: readonly ExecutedBlock[];
}

export interface TransactionOutcome {
  readonly transactionId: Identifier;
  readonly blockId: Identifier;
  readonly kind: OutcomeKind;
  /** Why it is invalid or has no effect; empty otherwise. */
  readonly reason: string;
  readonly fee: bigint;
  /** Hash of the payload of an executed transaction; empty if there is none. */
  readonly noteHash: Identifier;
  /** The addresses whose outputs it has spent, ascending and distinct; none if it was not executed. */
  readonly payers: readonly Address[];
}

export interface BlockReward {
  readonly blockId: Identifier;
  readonly anchorHeight: number;
  readonly payoutAddress: Address;
  /** Its even part of the anchor's amount. */
  readonly share: bigint;
  /** The work half of the fees it carried. */
  readonly fees: bigint;
  readonly amount: bigint;
  /** The output that pays it together with others of the same address; null if nothing is due. */
  readonly outpoint: Outpoint | null;
  /** The amount of that output: the sum of the rewards that name it; 0 if nothing is due. */
  readonly outputAmount: bigint;
}

export interface StakePayout {
  readonly positionId: Identifier;
  readonly positionKind: PositionKind;
  readonly validatorId: Identifier;
  readonly epoch: number;
  readonly address: Address;
  readonly amount: bigint;
  readonly outpoint: Outpoint;
}

export type Burn =
  | { readonly cause: 'output'; readonly transactionId: Identifier; readonly amount: bigint }
  | { readonly cause: 'equivocation'; readonly validatorId: Identifier; readonly amount: bigint };

/** A created or spent output: a line of its address's history and of the cut's changes. */
export interface HistoryEntry {
  readonly kind: 'received' | 'spent';
  readonly address: Address;
  readonly outpoint: OutpointKey;
  readonly amount: bigint;
  readonly source: OutputSource;
  /** The transaction that spent or made it; a payout's own id where the protocol made it. */
  readonly transactionId: Identifier;
}

export interface KeyRegistration {
  readonly keyHash: Identifier;
  readonly transactionId: Identifier;
}

export type ValidatorEvent =
  | { readonly type: 'registered' | 'exited' | 'removed'; readonly validatorId: Identifier }
  | { readonly type: 'jailed'; readonly validatorId: Identifier; readonly untilEpoch: number };

export interface CutEvents {
  readonly outcomes: readonly TransactionOutcome[];
  readonly rewards: readonly BlockReward[];
  readonly stakePayouts: readonly StakePayout[];
  readonly burns: readonly Burn[];
  readonly keys: readonly KeyRegistration[];
  readonly history: readonly HistoryEntry[];
  readonly validators: readonly ValidatorEvent[];
}

export interface CutResult {
  readonly height: number;
  readonly changes: readonly Change[];
  readonly events: CutEvents;
  /** Without roots for a cut whose state root was vouched for. */
  readonly trees: StagedTrees | DeferredTrees;
  readonly stateRoot: Identifier;
  readonly historyRoot: Identifier;
  readonly outcomeRoot: Identifier;
  readonly changesRoot: Identifier;
  readonly workTarget: bigint;
  /** The set that signs this cut, and the one that signs the next. */
  readonly validatorSetId: Identifier;
  readonly nextValidatorSetId: Identifier;
}
