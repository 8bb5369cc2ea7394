/**
 * A block of the simulation's miners, in the bytes of the protocol and as the ledger takes it.
 */
import type { ExecutableTransaction, RegisteredBlock } from 'svc-ledger';
import type { BlockBytes } from 'svc-storage';

export interface MinedBlock {
  readonly bytes: BlockBytes;
  readonly block: RegisteredBlock;
  readonly transactions: readonly ExecutableTransaction[];
}
