/** `GET /v1/transactions/recent`. The list of a height is read once. */
import { ROUTES } from 'svc-api';
import { recentTransaction } from '../../documents/outcome-documents.ts';
import type { Handler } from './handler.ts';

const { page } = ROUTES.transactionsRecent;

export const transactionsRecent: Handler<typeof ROUTES.transactionsRecent> = (
  { readers },
  { query },
) =>
  readers.read(async (snapshot) => {
    const { reader, height } = snapshot;
    const rows = await snapshot.once('recent transactions', () =>
      reader.recentTransactions(page.maximum),
    );
    const transactions = rows.slice(0, query.limit ?? page.default).map(recentTransaction);
    return { height, document: { api_version: 1, finalized_height: height, transactions } };
  });
