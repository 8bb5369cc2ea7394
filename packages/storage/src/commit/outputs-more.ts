/**
 * Counts outputs while the trees have not applied a cut yet.
 */
import type { Change } from 'svc-ledger';

/** How many outputs a cut adds to the state; below zero if it spends more than it makes. */
export function outputsMore(changes: readonly Change[]): number {
  let more = 0;
  for (const { table, after } of changes)
    if (table === 'outputs') more += after === undefined ? -1 : 1;
  return more;
}
