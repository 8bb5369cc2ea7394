/**
 * What a node has of the past, as its status and metrics report it.
 */
import type { HistoryDocument } from 'svc-api';
import type { Retention } from 'svc-storage';

/** A node that prunes fetches nothing of the past. */
export function historyOf({
  mode,
  firstHeight,
  indexedFrom,
  blocksFrom,
}: Retention): HistoryDocument {
  return {
    cuts_from: firstHeight,
    blocks_from: blocksFrom,
    indexed_from: indexedFrom,
    cuts_left: mode === 'pruned' ? 0 : firstHeight - 1,
  };
}
