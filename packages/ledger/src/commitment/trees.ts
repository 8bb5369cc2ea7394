/**
 * The port to the four state trees. `stage` computes the trees after a list of leaf changes without
 * changing anything; an implementation keeps what it has to write in the object it returns.
 */
import type { Identifier, OutpointKey } from '../identifiers.ts';
import type { OutputRecord } from '../records.ts';

export const TREES = { outputs: 1, positions: 2, validators: 3, keys: 4 } as const;
export type TreeName = keyof typeof TREES;

/** A created or spent output; its tree key follows from its `outputValue`. */
export interface OutputLeafChange {
  readonly tree: 'outputs';
  readonly outpoint: OutpointKey;
  readonly output: OutputRecord;
  readonly present: boolean;
}

export interface RecordLeafChange {
  readonly tree: 'positions' | 'validators' | 'keys';
  /** 64 bytes: see `recordKey`. */
  readonly key: Uint8Array;
  /** The leaf's new value, or undefined to remove the leaf. */
  readonly value: Uint8Array | undefined;
  readonly sum: bigint;
}

export type LeafChange = OutputLeafChange | RecordLeafChange;

export interface Subtree {
  readonly hash: Uint8Array;
  readonly sum: bigint;
  readonly count: bigint;
}

export type TreeRoots = Readonly<Record<TreeName, Subtree>>;

export interface StagedTrees {
  readonly roots: TreeRoots;
}

export interface Commitments {
  stage(changes: readonly LeafChange[]): StagedTrees;
}

/** Changes of a cut that the trees have not applied yet, so that there are no roots. */
export interface DeferredTrees {
  readonly roots?: undefined;
}

/** Is called with the roots that changes lead to, and throws if they are not what they have to be. */
export type CheckRoots = (roots: TreeRoots) => void;

/**
 * A cut whose state root is already final by a certificate, so that executing it needs no trees. The owner of the
 * trees applies the changes of several such cuts at once, and calls the check of the last one before anything of them
 * is durable.
 */
export interface VouchedCut {
  readonly stateRoot: Identifier;
  defer(changes: readonly LeafChange[], check: CheckRoots): DeferredTrees;
}
