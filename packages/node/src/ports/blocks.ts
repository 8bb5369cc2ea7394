/**
 * Work blocks that wait for a cut, as the other parts of a node see them.
 */
import type { Signal } from 'svc-base/pure';
import type { ExecutableTransaction, RegisteredBlock } from 'svc-ledger';
import type { BlockBytes } from 'svc-storage';

export interface PooledBlock {
  readonly bytes: BlockBytes;
  readonly block: RegisteredBlock;
  readonly transactions: readonly ExecutableTransaction[];
  readonly minerTag: string;
  readonly receivedAtMillis: number;
}

/** `late` and `refused` name a code of the error catalogue. */
export type BlockAdmission =
  | { readonly type: 'accepted' | 'known'; readonly id: string }
  | { readonly type: 'late' | 'refused'; readonly code: string; readonly message: string };

export interface BlockPool {
  readonly size: number;
  readonly accepted: Signal<PooledBlock>;
  /**
   * Resolves when the block is checked and, if it was accepted, on the disk. The source, a peer or a
   * listener, pays for hashes that come to nothing.
   */
  submit(header: Uint8Array, body: Uint8Array, source?: string): Promise<BlockAdmission>;
  get(id: string): PooledBlock | undefined;
  /** A block that carries the transaction and is not executed yet, registered or not. */
  carrying(transactionId: string): PooledBlock | undefined;
  /** What a cut at this height may register: in the order of a cut, within its limits. */
  registrable(height: number): PooledBlock[];
}
