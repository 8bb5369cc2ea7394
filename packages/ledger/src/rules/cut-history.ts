/**
 * The list of all earlier cuts: a cut appends its parent's id, and its header names the root (`docs/protocol.md` 8.8).
 */
import type { CutContext } from '../context.ts';
import { bytesOf, type Identifier } from '../identifiers.ts';
import { appendHistory, historyRoot, toHex } from '../protocol.ts';
import { SINGLE_KEY } from '../records.ts';

/** Appends the parent and returns the root of the list of all cuts before this one. */
export function appendParent(context: CutContext, parentCutId: Identifier): Identifier {
  const { hash, height, state } = context;
  const before = state.get('pastCuts', SINGLE_KEY)?.peaks ?? [];
  const peaks = appendHistory(hash, height - 1, before, bytesOf(parentCutId));
  state.put('pastCuts', SINGLE_KEY, { peaks });
  return toHex(historyRoot(hash, height, peaks));
}
