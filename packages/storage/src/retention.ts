/**
 * How long things are kept, by storage mode. Headers stay for ever: one certificate proves all cuts
 * before its own through them. Numbers of cuts are counted back from the head.
 */
import type { LedgerParameters } from 'svc-ledger';
import type { StorageMode } from './codec/meta-records.ts';

export interface RetentionRule {
  /** Cuts whose history, changes, outcomes and events are kept. */
  readonly indexedCuts: number;
  /** Cuts whose blocks' bytes are kept. */
  readonly blockCuts: number;
}

const FOR_EVER = Number.POSITIVE_INFINITY;
/** Two epochs of 34,560 cuts: who falls behind by less can be served. */
const FULL_BLOCK_CUTS = 69_120;
/** Two hours, twice what event streams replay. */
const PRUNED_CUTS = 2_880;

export const RETENTION: Readonly<Record<StorageMode, RetentionRule>> = {
  archive: { indexedCuts: FOR_EVER, blockCuts: FOR_EVER },
  full: { indexedCuts: FOR_EVER, blockCuts: FULL_BLOCK_CUTS },
  pruned: { indexedCuts: PRUNED_CUTS, blockCuts: PRUNED_CUTS },
};

/** Certificates of this many last cuts are all kept; of older ones only checkpoints are. */
export const CERTIFICATE_CUTS = 2_880;
export const CHECKPOINT_CUTS = 576;

/** What says which certificates are kept for ever. */
export type CheckpointRules = Pick<LedgerParameters, 'interval' | 'recoveries'>;

/** Whether the certificate of a cut is kept for ever, as that of the last cut which a set signed. */
export function isCheckpoint(height: number, { interval, recoveries }: CheckpointRules): boolean {
  const isEnd = height % interval === 0 || recoveries.some((one) => one.height === height);
  return isEnd || height % CHECKPOINT_CUTS === 0;
}
