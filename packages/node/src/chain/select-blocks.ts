/**
 * Selects the pooled blocks that a proposer registers: those that it received long enough ago for the other
 * validators to have them too, and that the ledger accepts.
 */
import {
  BLOCKS_PER_CUT_MAX,
  blockFault,
  compareBlocks,
  RecentBlocks,
  registrationFault,
  type StateView,
} from 'svc-ledger';
import type { PooledBlock } from 'svc-serve/ports';

const BLOCK_AGE_MILLIS = 500;
/** Networks with a faster pace wait for a fifth of it. */
const BLOCK_AGE_PACE_PARTS = 5;

/** How long a proposer has had a block before it registers it. */
export function blockAgeMillisMin(paceMillis: number): number {
  return Math.min(BLOCK_AGE_MILLIS, Math.floor(paceMillis / BLOCK_AGE_PACE_PARTS));
}

export function selectBlocks(
  candidates: readonly PooledBlock[],
  view: StateView,
  height: number,
  receivedBefore: number,
  isAnchored: (block: PooledBlock['block']) => boolean,
): PooledBlock[] {
  const old = candidates
    .filter(
      ({ receivedAtMillis, block }) => receivedAtMillis <= receivedBefore && isAnchored(block),
    )
    .sort((a, b) => compareBlocks(a.block, b.block))
    .slice(0, BLOCKS_PER_CUT_MAX);
  const blocks = old.map(({ block }) => block);
  if (registrationFault(view, height, blocks) === null) return old;
  const recent = new RecentBlocks(view, height - 1);
  const bodies = new Set<string>();
  return old.filter(({ block }) => {
    if (bodies.has(block.bodyRoot) || blockFault(view, height, block, recent) !== null)
      return false;
    bodies.add(block.bodyRoot);
    return true;
  });
}
