/**
 * Proofs about the committed state of the head. They are made for whatever the head is then; who
 * needs several of one head compares the head before and after.
 */
import type { Outpoint } from 'svc-ledger';

export interface StateProofs {
  /** Undefined if the output is not unspent. */
  output(outpoint: Outpoint): Promise<Uint8Array | undefined>;
  /** Undefined if the address has more outputs than a proof may list. */
  address(address: string): Promise<Uint8Array | undefined>;
  totals(): Promise<Uint8Array>;
}
