/**
 * What the next cut may register: the oldest anchors first, then by id, which is also the order of a cut, and of
 * blocks with one body the first. A cut of 256 blocks stays within the limits on bytes and mass, since every single
 * block does.
 */
import {
  BLOCKS_PER_CUT_MAX,
  blockFault,
  isRegistrable,
  type RecentBlocks,
  type StateView,
} from 'svc-ledger';
import type { PooledBlock } from 'svc-serve/ports';
import type { BlockIndex } from './block-index.ts';

export function registrableBlocks(
  index: BlockIndex,
  view: StateView,
  height: number,
  recent: RecentBlocks,
): PooledBlock[] {
  const chosen: PooledBlock[] = [];
  const bodies = new Set<string>();
  for (const anchor of index.anchors()) {
    if (!isRegistrable(anchor, height)) continue;
    for (const pooled of index.waitingOn(anchor)) {
      if (chosen.length === BLOCKS_PER_CUT_MAX) return chosen;
      const { bodyRoot } = pooled.block;
      if (bodies.has(bodyRoot) || blockFault(view, height, pooled.block, recent) !== null) continue;
      bodies.add(bodyRoot);
      chosen.push(pooled);
    }
  }
  return chosen;
}
