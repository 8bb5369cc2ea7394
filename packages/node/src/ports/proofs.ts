/**
 * Proofs about the committed state of the head. They are made for whatever the head is then; who
 * needs several of one head compares the head before and after.
 */
import type { Outpoint } from 'svc-ledger';
import type { LeavesProof } from 'svc-wasm/protocol';

export interface StateProofs {
  /** Undefined if the output is not unspent. */
  output(outpoint: Outpoint): Promise<Uint8Array | undefined>;
  /** Undefined if the address has more outputs than a proof may list. */
  address(address: string): Promise<Uint8Array | undefined>;
  totals(): Promise<Uint8Array>;
  /**
   * Leads from the header of a height to the ids of earlier cuts, heights ascending. Undefined if the ids of all cuts
   * before it are not here.
   */
  cuts(height: number, earlier: readonly number[]): LeavesProof<Uint8Array> | undefined;
}
