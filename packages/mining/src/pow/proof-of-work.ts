/**
 * Proof of work as the block pool and the miner see it.
 */
export interface WorkVerdict {
  readonly holds: boolean;
  /** The hash as a big-endian number of 32 bytes. */
  readonly result: Uint8Array;
}

export interface ProofOfWork {
  readonly mode: 'light' | 'full';
  /** Hashes a header of 312 bytes and compares it with the target that it names. */
  check(header: Uint8Array): Promise<WorkVerdict>;
  /** Gets the dataset of the period that this height belongs to ready, and that of the next one ahead of time. */
  prepare(height: number): Promise<void>;
  close(): Promise<void>;
}
