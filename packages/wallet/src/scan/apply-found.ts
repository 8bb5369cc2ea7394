/**
 * Adds what reading the past once more has found, beside a state that counts. What the state has already stays as it is.
 * Payments that it lacked take a place behind all that was told so far: whoever asks for what is new gets them. Where addresses
 * are fixed they are told of when all was read.
 */
import type { StoredEvent } from '../state/events.ts';
import type { State } from '../state/open-state.ts';
import { HEIGHT_UNKNOWN } from '../state/outputs.ts';
import { toldAtOf } from '../state/readings.ts';
import { applyRows } from './apply-changes.ts';
import type { Change, DetailedChange } from './change.ts';

/** Whether the state lacks a change: an output, its height, its spending, or that this ends a payment of the wallet. */
export function isFound({ journal, outputs }: State, change: Change): boolean {
  const { output_index, transaction_id } = change.outpoint;
  const known = outputs.find(transaction_id, output_index);
  if (known === undefined) return true;
  if (change.kind === 'received')
    return known.height === HEIGHT_UNKNOWN && change.finalized_height !== HEIGHT_UNKNOWN;
  const own = journal.findTransaction(change.transaction_id);
  return known.spentHeight === null || (own !== undefined && own.state !== 'final');
}

/** Returns the events, which may be told once this returns. `beforeCommit` is called within the commit. */
export function applyFound(
  state: State,
  changes: readonly DetailedChange[],
  executed: ReadonlySet<string>,
  beforeCommit: () => void = () => {},
): StoredEvent[] {
  return state.database.transaction(() => {
    const { meta } = state;
    const indexedHeight = meta.number('indexed_height', 0);
    const generation = meta.number('generation', 0);
    const toldAt = toldAtOf(state);
    const told = toldAt === undefined ? {} : { toldAt };
    const settled = applyRows(state, changes, { executed, generation, ...told });
    const events = settled.map((notice) => state.events.add('settled', indexedHeight, notice));
    beforeCommit();
    return events;
  });
}
