/**
 * The parents that a block names: blocks of the newest cut up to its anchor that registered any, else the anchor.
 */
import { numberKey, oldestParentCut, type StateView } from 'svc-ledger';
import type { Head } from 'svc-storage';

const PARENTS_MAX = 8;

export function parentsOn(
  view: StateView,
  { height, cutId }: Pick<Head, 'height' | 'cutId'>,
): string[] {
  for (let cut = height; cut >= oldestParentCut(height); cut--) {
    const blocks = view.get('registered', numberKey(cut))?.blocks ?? [];
    if (blocks.length > 0) return blocks.slice(0, PARENTS_MAX).map(({ id }) => id);
  }
  return [cutId];
}
