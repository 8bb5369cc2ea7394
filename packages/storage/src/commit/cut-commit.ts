/**
 * What a node hands to the store when a cut is decided.
 */
import type { CutInput, CutResult } from 'svc-ledger';

/** A work block as it came over the network. */
export interface BlockBytes {
  readonly id: string;
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

export interface CutCommit {
  readonly input: CutInput;
  readonly result: CutResult;
  /** The encoded header and body of the cut. */
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  /** The encoded certificate; null in a replay of an old chain whose certificates were thinned. */
  readonly certificate: Uint8Array | null;
  /** Blocks that this cut registers and the store does not hold yet. */
  readonly blocks: readonly BlockBytes[];
}
