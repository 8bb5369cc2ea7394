/**
 * Transactions as a reader counts them. Miners work side by side, so that several blocks of a cut often carry the same
 * transaction: it is executed once and skipped elsewhere.
 */
import type { TransactionsRecent } from 'svc-api';

type Recent = TransactionsRecent['transactions'][number];

/** Each transaction once, where it was executed if it was, in the order in which they are given. */
export function eachOnce(transactions: readonly Recent[]): Recent[] {
  const found = new Map<string, Recent>();
  for (const row of transactions) {
    const known = found.get(row.transaction_id);
    if (known === undefined || (known.outcome === 'skipped' && row.outcome !== 'skipped'))
      found.set(row.transaction_id, row);
  }
  return [...found.values()];
}
