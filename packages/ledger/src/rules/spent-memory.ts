/**
 * The memory of spent outputs. For two epochs a spent output is kept with its spender. This distinguishes a conflict
 * from an output that does not exist yet, and a transaction from its repetition.
 */
import type { CutContext } from '../context.ts';
import { numberKey } from '../identifiers.ts';
import { SPENT_MEMORY_EPOCHS } from '../parameters.ts';
import { sortedKeys } from '../sort-keys.ts';

export function rememberSpent(context: CutContext): void {
  if (context.spent.length === 0) return;
  const outpoints = sortedKeys(context.spent);
  context.state.put('spentLists', numberKey(context.height), { outpoints });
}

/** Forgets what was spent two epochs before this cut, before anything is executed in it. */
export function forgetSpent(context: CutContext): void {
  const forgotten = context.height - SPENT_MEMORY_EPOCHS * context.parameters.interval;
  if (forgotten < 1) return;
  const key = numberKey(forgotten);
  const list = context.state.get('spentLists', key);
  if (list === undefined) return;
  for (const outpoint of list.outpoints) context.state.delete('spent', outpoint);
  context.state.delete('spentLists', key);
}
