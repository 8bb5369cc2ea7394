/**
 * What a node has of the past, as its status and metrics report it.
 */
import type { HistoryDocument } from 'svc-api';
import type { Chain } from '../ports/chain.ts';

/** A node that prunes fetches nothing of the past but the ids of cuts. */
export function historyOf({
  retention,
  idsLeft,
}: Pick<Chain, 'retention' | 'idsLeft'>): HistoryDocument {
  const { mode, firstHeight, indexedFrom, blocksFrom } = retention;
  return {
    cuts_from: firstHeight,
    blocks_from: blocksFrom,
    indexed_from: indexedFrom,
    cuts_left: mode === 'pruned' ? 0 : firstHeight - 1,
    ids_left: idsLeft,
  };
}
