/** `POST /v1/transactions/status`. */
import type { ROUTES } from 'svc-api';
import type { Handler } from './handler.ts';

export const transactionsStatus: Handler<typeof ROUTES.transactionsStatus> = (
  { services, readers },
  { body },
) =>
  readers.read(async ({ reader, height }) => {
    const found = await services.statuses.of(body.transaction_ids, reader);
    const statuses = found.filter((status) => status !== null);
    return { height, document: { api_version: 1, finalized_height: height, statuses } };
  });
