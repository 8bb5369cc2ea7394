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
  /** The encoded header, body and certificate of the cut. */
  readonly header: Uint8Array;
  readonly body: Uint8Array;
  readonly certificate: Uint8Array;
  /** Blocks that this cut registers and the store does not hold yet. */
  readonly blocks: readonly BlockBytes[];
}
