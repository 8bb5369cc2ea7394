/**
 * Transactions that no finalized cut has executed yet.
 */
import type { PendingTransaction } from 'svc-api';
import type { Addresses } from '../../documents/addresses.ts';
import { outpointDocument } from '../../documents/transactions.ts';
import type { PooledTransaction } from '../../ports.ts';
import type { Handler } from './handler.ts';

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
    .map((pooled) => pendingTransaction(pooled, asked, addresses));
  const document = {
    api_version: 1,
    finalized_height: height,
    transactions,
    truncated: found.size > TRANSACTIONS_MAX,
  } as const;
  return { height, document };
};

function pendingTransaction(
  { id, wire, transaction, spent, fee, mass, receivedAtMillis }: PooledTransaction,
  asked: ReadonlySet<string>,
  addresses: Addresses,
): PendingTransaction {
  return {
    transaction_id: id,
    first_seen_millis: receivedAtMillis,
    fee: String(fee),
    mass: String(mass),
    bytes: wire.length,
    received: transaction.outputs.flatMap(({ address, amount }, index) =>
      asked.has(address)
        ? [{ address: addresses.text(address), output_index: index, amount: String(amount) }]
        : [],
    ),
    spent: transaction.inputs.flatMap((input, index) => {
      const output = spent[index];
      if (output === undefined || !asked.has(output.address)) return [];
      const address = addresses.text(output.address);
      return [{ address, outpoint: outpointDocument(input), amount: String(output.amount) }];
    }),
  };
}
