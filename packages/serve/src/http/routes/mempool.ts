/**
 * Transactions that no finalized cut has executed yet.
 */
import { pendingTransaction } from '../../documents/transactions.ts';
import type { PooledTransaction } from '../../ports.ts';
import { finalizedAt, type Handler } from './handler.ts';

export const mempool: Handler<'mempool'> = ({ mempoolFigures }) => {
  const document = mempoolFigures.document();
  return { height: document.finalized_height, document };
};

const TRANSACTIONS_MAX = 1_024;

export const mempoolPending: Handler<'mempoolPending'> = ({ services, addresses }, { body }) => {
  const asked = new Set(addresses.hexes(body.addresses));
  const found = new Map<string, PooledTransaction>();
  for (const address of asked) {
    for (const pooled of services.mempool.touching(address)) {
      if (found.size > TRANSACTIONS_MAX) break;
      found.set(pooled.id, pooled);
    }
  }
  const { height } = services.chain.head;
  const transactions = [...found.values()]
    .sort((a, b) => a.receivedAtMillis - b.receivedAtMillis)
    .slice(0, TRANSACTIONS_MAX)
    .map((pooled) => pendingTransaction(pooled, addresses, asked));
  return finalizedAt(height, {
    transactions,
    truncated: found.size > TRANSACTIONS_MAX,
  });
};
