/**
 * Which of the pooled blocks a proposer registers: those it has held long enough that the others can have
 * them too, and that the ledger will take.
 */
import {
  BLOCKS_PER_CUT_MAX,
  blockFault,
  compareBlocks,
  RecentBlocks,
  registrationFault,
  type StateView,
} from 'svc-ledger';
import type { PooledBlock } from '../ports/blocks.ts';

const HELD_MILLIS = 500;
/** Networks with a faster pace wait for a fifth of it. */
const HELD_PACE_PARTS = 5;

export function heldMillis(paceMillis: number): number {
  return Math.min(HELD_MILLIS, Math.floor(paceMillis / HELD_PACE_PARTS));
}

export function selectBlocks(
  candidates: readonly PooledBlock[],
  view: StateView,
  height: number,
  receivedBefore: number,
  isAnchored: (block: PooledBlock['block']) => boolean,
): PooledBlock[] {
  const held = candidates
    .filter(
      ({ receivedAtMillis, block }) => receivedAtMillis <= receivedBefore && isAnchored(block),
    )
    .sort((a, b) => compareBlocks(a.block, b.block))
    .slice(0, BLOCKS_PER_CUT_MAX);
  const blocks = held.map(({ block }) => block);
  if (registrationFault(view, height, blocks) === null) return held;
  const recent = new RecentBlocks(view, height - 1);
  const bodies = new Set<string>();
  return held.filter(({ block }) => {
    if (bodies.has(block.bodyRoot) || blockFault(view, height, block, recent) !== null)
      return false;
    bodies.add(block.bodyRoot);
    return true;
  });
}
