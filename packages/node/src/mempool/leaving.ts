/**
 * Which waiting transactions a finalized cut removes, and why.
 */
import type { OutcomeKind } from 'svc-ledger';
import type { FinalizedCut } from '../ports/chain.ts';
import type { RemovalReason } from '../ports/mempool.ts';
import type { PoolEntry } from './pool-entry.ts';
import type { PoolIndex } from './pool-index.ts';

/** Those that are not named wait on. */
const REASONS: Readonly<Partial<Record<OutcomeKind, RemovalReason>>> = {
  finalized: 'finalized',
  skipped: 'finalized',
  expired: 'expired',
  conflict: 'conflict',
  invalid: 'rejected',
  no_effect: 'rejected',
};

export function leavingWith(
  index: PoolIndex,
  { height, result }: FinalizedCut,
): Map<PoolEntry, RemovalReason> {
  const leaving = new Map<PoolEntry, RemovalReason>();
  const note = (entry: PoolEntry | undefined, reason: RemovalReason | undefined): void => {
    if (entry !== undefined && reason !== undefined && !leaving.has(entry))
      leaving.set(entry, reason);
  };
  for (const { table, key, after } of result.changes) {
    if (table !== 'spent' || after === undefined) continue;
    const entry = index.spenderOf(key);
    note(entry, entry?.id === after.transactionId ? 'finalized' : 'conflict');
  }
  for (const { transactionId, kind } of result.events.outcomes)
    note(index.get(transactionId), REASONS[kind]);
  for (const entry of index.expiringAt(height)) note(entry, 'expired');
  return leaving;
}
