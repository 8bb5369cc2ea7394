/**
 * How much the mempool holds and how far ahead it looks.
 */
export interface MempoolLimits {
  readonly transactions: number;
  readonly bytes: number;
  readonly mass: bigint;
}

/**
 * No limit for an address: a waiting transaction spends final outputs that no other waiting one spends and
 * pays for its mass, so an address has as many as it has outputs and coins for.
 */
export const MEMPOOL_LIMITS: MempoolLimits = {
  transactions: 100_000,
  bytes: 256 << 20,
  mass: 1_000_000_000n,
};

/** A transaction may wait for so many cuts until it becomes valid. */
export const FUTURE_CUTS_MAX = 24;

/** A block stands on the head, the next cut registers it at the earliest, the one after executes it. */
export const CUTS_UNTIL_EXECUTION = 2;
