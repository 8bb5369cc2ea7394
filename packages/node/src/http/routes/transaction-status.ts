/** `GET /v1/transactions/{id}/status`. */
import type { ROUTES } from 'svc-api';
import { Refused } from '../../refusal/refused.ts';
import type { Handler } from './handler.ts';

export const transactionStatus: Handler<typeof ROUTES.transactionStatus> = (
  { services, readers },
  { params: { id } },
) =>
  readers.read(async ({ reader, height }) => {
    const [status] = await services.statuses.of([id], reader);
    if (status === undefined || status === null) {
      throw new Refused('not_found', 'this node knows nothing of the transaction', { path: 'id' });
    }
    return { height, document: { api_version: 1, ...status } };
  });
